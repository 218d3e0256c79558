import { type Environment, readEnvironment } from '@melmastoon/server/environment';

/** The environment with the flags that stand for a variable put on top. */
export function settings(flags: { dataDir?: string; port?: number } = {}): Environment {
  const env = readEnvironment(process.env);
  return {
    ...env,
    ...(flags.dataDir === undefined ? {} : { MELM_DATA_DIR: flags.dataDir }),
    ...(flags.port === undefined ? {} : { PORT: flags.port }),
  };
}
