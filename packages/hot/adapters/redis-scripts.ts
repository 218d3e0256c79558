import { createHash } from 'node:crypto';

/** A script and the SHA-1 by which Redis knows it. Only these run; no caller's text is ever evaluated (safety 30). */
export type Script = { readonly name: string; readonly lua: string; readonly sha: string };

function script(name: string, lua: string): Script {
  return { name, lua, sha: createHash('sha1').update(lua).digest('hex') };
}

// Times are whole microseconds of the Redis server: about 1.8e15, exact in a double until the year 2255.
const NOW = `
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]`;

// The life of this Redis is one key. If it is gone, so is everything else: FLUSHALL, a restart without persistence,
// a failover to an empty replica. Whoever knew another life (ARGV[1]) marks the new one as "after a loss".
const LIFE = `
local life = redis.call('GET', KEYS[1])
if not life then
  life = ARGV[2] .. '|' .. string.format('%.0f', now) .. '|' .. (ARGV[1] == '' and '0' or '1')
  redis.call('SET', KEYS[1], life)
end
local id, born, lost = string.match(life, '^([^|]+)|(%d+)|([01])$')
if lost == '0' and ARGV[1] ~= '' and ARGV[1] ~= id then
  lost = '1'
  life = id .. '|' .. born .. '|1'
  redis.call('SET', KEYS[1], life)
end`;

/** KEYS life; ARGV known life id, id for a new one. Gives the life as `id|born|lost`. */
export const lifeScript = script('life', `${NOW}${LIFE}\nreturn life`);

/**
 * gcra.ts in Lua. KEYS life, bucket; ARGV known life id, id for a new one, interval, burst, cost. A bucket that is
 * missing after a loss counts as having been empty when the loss was noticed: nobody gets a second burst by it.
 */
export const spendScript = script(
  'spend',
  `${NOW}${LIFE}
local interval, burst, cost = tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
local capacity = burst * interval
local full = tonumber(redis.call('GET', KEYS[2]) or '')
if not full then full = lost == '1' and born + capacity or now end
local before = math.min(math.max(full, now), now + capacity)
local after = before + cost * interval
local allowed = after - now <= capacity
local level = allowed and after or before
if allowed then
  redis.call('SET', KEYS[2], string.format('%.0f', level), 'PX', math.ceil((level - now) / 1000) + 1)
end
return {
  allowed and 1 or 0,
  math.floor((capacity - (level - now)) / interval),
  allowed and 0 or after - now - capacity,
  level - now,
  now,
  id
}`,
);

/**
 * KEYS lease, fence; ARGV token, ttl, highest number this process has seen. The number is the largest of: the last one
 * plus one, the server's clock, the caller's own knowledge. So it rises even when the counter was lost with the rest
 * of the data; it could only fall if at the same moment the clock went back and every process had been restarted, and
 * then the guarded write, which compares numbers in PostgreSQL, refuses loudly.
 */
export const acquireScript = script(
  'acquire',
  `if not redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return false end
${NOW}
local last = tonumber(redis.call('GET', KEYS[2]) or '0')
local fence = math.max(last + 1, now, tonumber(ARGV[3]) + 1)
redis.call('SET', KEYS[2], string.format('%.0f', fence))
return fence`,
);

/** KEYS lease; ARGV token, ttl. */
export const renewScript = script(
  'renew',
  `if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])`,
);

/** KEYS lease; ARGV token. */
export const releaseScript = script(
  'release',
  `if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])`,
);

/** KEYS lease, entry; ARGV token, value, ttl or ''. */
export const commitScript = script(
  'commit',
  `if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
if ARGV[3] == '' then redis.call('SET', KEYS[2], ARGV[2]) else redis.call('SET', KEYS[2], ARGV[2], 'PX', ARGV[3]) end
redis.call('DEL', KEYS[1])
return 1`,
);

/** KEYS counter; ARGV by, ttl or ''. The time to live is set only by the call that creates the counter. */
export const incrementScript = script(
  'increment',
  `local new = redis.call('EXISTS', KEYS[1]) == 0
local sum = redis.call('INCRBY', KEYS[1], ARGV[1])
if new and ARGV[2] ~= '' then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
return sum`,
);

/** What a connection loads when it opens. */
export const allScripts: readonly Script[] = [
  lifeScript,
  spendScript,
  acquireScript,
  renewScript,
  releaseScript,
  commitScript,
  incrementScript,
];
