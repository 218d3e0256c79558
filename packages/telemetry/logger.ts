import {
  type DestinationStream,
  destination,
  type Level,
  type LogFn,
  type Logger,
  pino,
  stdTimeFunctions,
} from 'pino';
import { loggable } from './loggable.ts';
import { redactJson } from './redact.ts';
import { currentTrace } from './trace-context.ts';

export type { Logger } from 'pino';

/** How a logger is made; `level` defaults to `info`, `destination` to standard output. */
export type LoggerOptions = {
  readonly name: string;
  readonly level?: Level | 'silent';
  readonly destination?: DestinationStream;
};

/**
 * A logger that writes one JSON object per line, without personal data, secrets, line breaks or terminal codes, and
 * with the correlation id of the running trace.
 */
export function createLogger(options: LoggerOptions): Logger {
  return pino(
    {
      name: options.name,
      level: options.level ?? 'info',
      base: { pid: process.pid },
      timestamp: stdTimeFunctions.isoTime,
      messageKey: 'msg',
      errorKey: 'err',
      serializers: { err: (value: unknown) => value },
      formatters: {
        level: label => ({ level: label }),
        log: fields => loggable(fields) as Record<string, unknown>,
      },
      mixin: () => currentTrace() ?? {},
      // The finished line is the one place that messages, format arguments, child bindings and serializers all pass, so
      // nobody can log around the redaction. CPU time on Node 24, best of 40 rounds of 5,000, a line of 338 bytes:
      // pino alone 2.4 µs, redacted 11 µs; an error line 3.3 µs and 14 µs. Reading the line again is 2.5 µs of it.
      hooks: { streamWrite: redactLine, logMethod: neverThrow },
    },
    options.destination ?? destination({ dest: 1, sync: true }),
  );
}

/** The line without what must not be in it; a line that cannot be read is replaced, never passed on. */
export function redactLine(line: string): string {
  try {
    return `${JSON.stringify(redactJson(JSON.parse(line)))}\n`;
  } catch {
    return `${JSON.stringify({ level: 'error', time: new Date().toISOString(), msg: 'A log line could not be redacted and was dropped' })}\n`;
  }
}

/** A getter or `toJSON` that throws must not fail the code that logs. */
function neverThrow(this: Logger, args: Parameters<LogFn>, log: LogFn): void {
  try {
    log.apply(this, args);
  } catch (error) {
    const reason = error instanceof Error ? error.message : typeof error;
    log.call(this, { reason }, 'A log call failed because its fields could not be read');
  }
}
