import { type ParseArgsConfig, parseArgs } from 'node:util';

/** What a script was given, as `parseArgs` reads it. What it does not know is answered with how it is used, and nothing begins. */
export function flagsOf<Config extends ParseArgsConfig>(
  usage: string,
  config: Config,
): ReturnType<typeof parseArgs<Config>> {
  try {
    return parseArgs(config);
  } catch (error) {
    return refuseFlags(usage, (error as Error).message.split('. ')[0]);
  }
}

/** Ends the script, because it was given what it cannot take. */
export function refuseFlags(usage: string, why = ''): never {
  process.stderr.write(`${why}${why === '' ? '' : '\n'}usage: ${usage}\n`);
  process.exit(2);
}
