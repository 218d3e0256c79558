import { createHash } from 'node:crypto';

/** A script and the SHA-1 by which Redis knows it. Only these run; no caller's text is ever evaluated. */
export type Script = { readonly lua: string; readonly sha: string };

function script(lua: string): Script {
  return { lua, sha: createHash('sha1').update(lua).digest('hex') };
}

/**
 * For what consumers need: runs also where a Redis is full. Nothing else drains it, so whoever starts or takes over a shard must
 * not be refused the few bytes that this takes.
 */
function drainingScript(lua: string): Script {
  return script(`#!lua flags=allow-oom${lua}`);
}

// An era is the time in which nothing was lost: it has a name, and the run of the server that took the messages. FLUSHALL
// takes it away; a restart or a failover gives another server process, which may have lost the last moments even where
// it has a disk. A new era begins when everything that may be missing is on its way again.
const ERA = `
local run = string.match(redis.call('INFO', 'server'), 'run_id:(%w+)')
local era = redis.call('GET', KEYS[1])
if era and string.match(era, '^%w+') ~= run then era = false end`;

/**
 * KEYS era, last number, streams; ARGV era as the publisher knows it, wake channel, then per message its stream's place,
 * topic, key, event, tenant, attributes, time, envelope. Numbers are microseconds of this server that never repeat and
 * never fall: they order a key's messages also after a FLUSHALL, and are exact in a double until the year 2255. Gives
 * them, or LOST.
 */
export const publishScript = script(`${ERA}
if not era or era ~= ARGV[1] then return 'LOST' end
if #ARGV < 3 then return {} end
local time = redis.call('TIME')
local off = math.max(time[1] * 1000000 + time[2], tonumber(redis.call('GET', KEYS[2]) or '0') + 1)
local offs = {}
for i = 3, #ARGV, 8 do
  local text = string.format('%.0f', off)
  redis.call('XADD', KEYS[2 + ARGV[i]], text .. '-0', 't', ARGV[i + 1], 'k', ARGV[i + 2], 'e', ARGV[i + 3],
    'n', ARGV[i + 4], 'a', ARGV[i + 5], 'q', ARGV[i + 6], 'b', ARGV[i + 7])
  offs[#offs + 1] = text
  off = off + 1
end
redis.call('SET', KEYS[2], string.format('%.0f', off - 1))
redis.call('PUBLISH', ARGV[2], '')
return offs`);

/** KEYS era; ARGV a name for a new one, or nothing to only ask. Gives the era that lasts, if any. */
export const eraScript = drainingScript(`${ERA}
if not era and ARGV[1] ~= '' then
  era = run .. ' ' .. ARGV[1]
  redis.call('SET', KEYS[1], era)
end
return era`);

/** KEYS streams; ARGV group, position. Makes the group where there is none, and the stream with it. Gives how often. */
export const groupScript = drainingScript(`
local made = 0
for _, stream in ipairs(KEYS) do
  local reply = redis.pcall('XGROUP', 'CREATE', stream, ARGV[1], ARGV[2], 'MKSTREAM')
  if not reply['err'] then made = made + 1
  elseif not string.find(reply['err'], '^BUSYGROUP') then return reply end
end
return made`);

// Whoever has a lower number than the one that was here before has lost the shard and must not read: what it took would
// be missing for the new owner, and a later message of the same key would overtake it.
const FENCE = `
local function mayRead(fences, field, epoch)
  local fence = tonumber(redis.call('HGET', fences, field) or '0')
  if epoch > fence then redis.call('HSET', fences, field, epoch) end
  return epoch >= fence
end`;

// An event may have 256 KB: what is given at once is counted in bytes as well, a few entries at a time.
const PIECES = `
local PIECE = 32
local function append(entries, more)
  local size = 0
  for _, entry in ipairs(more) do
    entries[#entries + 1] = entry
    for _, field in ipairs(entry[2]) do size = size + #field end
  end
  return size
end`;

/**
 * KEYS era, fences, streams; ARGV group, consumer, most per stream, most bytes, then per stream its shard and epoch. Gives the
 * time of the look, whether the era lasts, whether there may be more and, per stream, its new entries or FENCED.
 */
export const readScript = drainingScript(`${ERA}${FENCE}${PIECES}
local time = redis.call('TIME')
local found, isMore = {}, 0
local most, room = tonumber(ARGV[3]), tonumber(ARGV[4])
for i = 3, #KEYS do
  local shard, epoch = ARGV[2 * i - 1], tonumber(ARGV[2 * i])
  local entries, isEnd = {}, false
  if not mayRead(KEYS[2], ARGV[1] .. ' ' .. shard, epoch) then entries, isEnd = 'FENCED', true end
  while not isEnd and room > 0 and #entries < most do
    local count = math.min(PIECE, most - #entries)
    local read = redis.call('XREADGROUP', 'GROUP', ARGV[1], ARGV[2], 'COUNT', count, 'STREAMS', KEYS[i], '>')
    local got = read and read[1][2] or {}
    room = room - append(entries, got)
    isEnd = #got < count
  end
  if not isEnd then isMore = 1 end
  found[#found + 1] = entries
end
return {string.format('%.0f', time[1] * 1000000 + time[2]), era and 1 or 0, isMore, found}`);

/**
 * KEYS fences, stream; ARGV group, consumer, shard, epoch, from where, most, most bytes. Takes over what others of the group
 * were given and have not acknowledged, without asking how long ago: the lease says that they are gone. Gives where to go on
 * and the entries, or FENCED.
 */
export const takeOverScript = drainingScript(`${FENCE}${PIECES}
if not mayRead(KEYS[1], ARGV[1] .. ' ' .. ARGV[3], tonumber(ARGV[4])) then return 'FENCED' end
local entries, from, room = {}, ARGV[5], tonumber(ARGV[7])
repeat
  local got = redis.call('XAUTOCLAIM', KEYS[2], ARGV[1], ARGV[2], 0, from, 'COUNT', PIECE)
  from = got[1]
  room = room - append(entries, got[2])
until from == '0-0' or room <= 0 or #entries >= tonumber(ARGV[6])
return {from, entries}`);

/**
 * KEYS stream; ARGV microseconds to keep where nobody consumes, milliseconds after which an idle process is forgotten.
 * Removes what every group has acknowledged, nothing else: below the oldest entry that is pending anywhere or was not
 * given to anybody yet.
 */
export const trimScript = drainingScript(`
local time = redis.call('TIME')
local least
local function factsOf(flat)
  local facts = {}
  for i = 1, #flat, 2 do facts[flat[i]] = flat[i + 1] end
  return facts
end
for _, group in ipairs(redis.call('XINFO', 'GROUPS', KEYS[1])) do
  local facts = factsOf(group)
  for _, consumer in ipairs(redis.call('XINFO', 'CONSUMERS', KEYS[1], facts['name'])) do
    local about = factsOf(consumer)
    if about['pending'] == 0 and about['idle'] > tonumber(ARGV[2]) then
      redis.call('XGROUP', 'DELCONSUMER', KEYS[1], facts['name'], about['name'])
    end
  end
  local needed = tonumber(string.match(facts['last-delivered-id'], '^%d+')) + 1
  if facts['pending'] > 0 then
    needed = tonumber(string.match(redis.call('XPENDING', KEYS[1], facts['name'])[2], '^%d+'))
  end
  least = math.min(least or needed, needed)
end
least = least or time[1] * 1000000 + time[2] - ARGV[1]
if least <= 1 then return 0 end
return redis.call('XTRIM', KEYS[1], 'MINID', string.format('%.0f', least))`);

export const allScripts: readonly Script[] = [
  publishScript,
  eraScript,
  groupScript,
  readScript,
  takeOverScript,
  trimScript,
];
