import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { armFailpointsFromEnv } from '@ghasi/domain-primitives/failpoint';
import { z } from 'zod';
import { quickLoad } from './quick-load.ts';

/** How a process ended: by itself with a code, or by a signal. */
export type Ending = { readonly code: number | null; readonly signal: NodeJS.Signals | null };

/** Runs a script as a process of its own that kills itself at `failpoint` (`name`, or `name@2`); gives how it ended. */
export async function dieAt(script: URL, failpoint: string, given: object): Promise<Ending> {
  const [name, hit] = failpoint.split('@');
  const armed = hit === undefined ? `${name}=crash` : `${name}=crash@${hit}`;
  const child = spawn(process.execPath, ['--disable-warning=DeprecationWarning', fileURLToPath(script)], {
    env: { ...quickLoad, PATH: process.env.PATH, MELM_FAILPOINTS: armed, GIVEN: JSON.stringify(given) },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
  return { code, signal };
}

/** For the script: what it was given. From here on the process dies where its environment says. */
export function given<Shape extends z.ZodRawShape>(shape: Shape): z.output<z.ZodObject<Shape>> {
  armFailpointsFromEnv(process.env, { crash: () => process.kill(process.pid, 'SIGKILL') });
  return z.object(shape).parse(JSON.parse(process.env.GIVEN ?? '{}'));
}
