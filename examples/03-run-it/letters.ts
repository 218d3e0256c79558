import { userInfo } from 'node:os';
import { listDeadLetters, showDeadLetter } from '@ghasi/brokers/operations/dead-letters';
import { replayRange } from '@ghasi/brokers/operations/replay-range';
import { seek } from '@ghasi/brokers/operations/seek';
import { replayDeadLetters, settleDeadLetters } from '@ghasi/brokers/operations/settle-letters';
import { subscriptionStatus } from '@ghasi/brokers/operations/subscriptions';
import { openDatabase } from '@ghasi/db/database';
import { runningEmbeddedPostgres } from '@ghasi/db/embedded';
import { roleUrl } from '@ghasi/db/roles';

// The shop's PostgreSQL: its owner's, or the one that a running main.ts has started.
const secret = process.env.SHOP_SECRET ?? 'only for trying it out, never where it counts';
const dataDir = process.env.SHOP_FOLDER ?? '.melmastoon/shop';
const adminUrl = process.env.DATABASE_URL ?? (await runningEmbeddedPostgres({ dataDir, password: secret }));
if (adminUrl === undefined) throw new Error(`no shop is open on ${dataDir}; start main.ts first`);

const [what = 'list', which = '', reason = ''] = process.argv.slice(2);
const [subscription = '', since = ''] = which.split('@');

// The role `relay` sees the messages of every tenant. Each change is kept with who made it and why.
const db = openDatabase({ url: roleUrl(adminUrl, 'relay', secret), service: 'letters', max: 2 });
const change = { actor: userInfo().username, reason, dryRun: false };
const commands: Record<string, () => Promise<unknown>> = {
  list: () => listDeadLetters(db, { limit: 50 }),
  show: () => showDeadLetter(db, { ids: [Number(which)] }),
  subscriptions: () => subscriptionStatus(db),
  replay: () => replayDeadLetters(db, change, { ids: [Number(which)] }),
  skip: () => settleDeadLetters(db, change, { how: 'skipped', filter: { ids: [Number(which)] } }),
  quarantine: () => settleDeadLetters(db, change, { how: 'quarantined', filter: { ids: [Number(which)] } }),
  seek: () => seek(db, change, { subscription, to: new Date(since) }),
  'replay-range': () => replayRange(db, change, { subscription, since: new Date(since) }),
};
try {
  const run = commands[what];
  if (run === undefined) throw new Error(`I know ${Object.keys(commands).join(', ')}`);
  process.stdout.write(`${JSON.stringify(await run(), undefined, 2)}\n`);
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
} finally {
  await db.close();
}
