import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * For the environment of a Node process that a test starts: loading the code is most of what a start costs. It finds what
 * others have compiled before and loads the query builder more directly: `melm describe` takes 1.7 s of processor time
 * instead of 2.2. What is killed writes down what it compiled only if it calls `flushCompileCache()` before.
 */
export const quickLoad = {
  NODE_COMPILE_CACHE: join(tmpdir(), 'melm-test-code'),
  NODE_OPTIONS: `--import=${new URL('./light-drizzle.ts', import.meta.url).href}`,
};
