import { pino } from 'pino';
import type { DestinationStream, Logger } from 'pino';
import { createRedactor } from './redact.ts';

/** From the noisiest to the quietest; `silent` writes nothing. */
export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';

/** What a line may say beside its event. Bodies and prompts do not belong here. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Writes one fact as one line: `event` names it in snake_case, `fields` are its details. */
export type WriteLine = (event: string, fields?: LogFields) => void;

/** The log: JSON lines, each with `level`, `time` and `event`. */
export interface Log {
  readonly trace: WriteLine;
  readonly debug: WriteLine;
  readonly info: WriteLine;
  readonly warn: WriteLine;
  readonly error: WriteLine;
  readonly fatal: WriteLine;
  /** True where a line of that level would be written: ask before building costly fields. */
  writes(level: Exclude<LogLevel, 'silent'>): boolean;
  /** A log whose every line carries these fields too. */
  child(fields: LogFields): Log;
}

export interface LogOptions {
  readonly level: LogLevel;
  /** Configured keys: their values are replaced wherever they would stand in a line. */
  readonly secrets: readonly string[];
  /** Where lines go; stderr if absent. */
  readonly destination?: DestinationStream;
}

/** What every line has already: a field of that name would stand in the line twice. */
const lineFields: ReadonlySet<string> = new Set(['level', 'time', 'event']);

/**
 * Opens the log. Header fields that carry credentials are blanked, secrets replaced, control characters turned
 * into spaces and long texts cut before a line is formed.
 */
export function createLog(options: LogOptions): Log {
  const redactor = createRedactor(options.secrets);
  const logger = pino(
    {
      level: options.level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    options.destination ?? pino.destination({ dest: 2, sync: true }),
  );
  return logOver(logger, (event, fields) => ({ ...safeFields(fields), event: redactor.line(event) }));

  function safeFields(fields: LogFields): object {
    const safe = redactor.data(fields);
    if (typeof safe !== 'object' || safe === null) return {};
    return Object.fromEntries(Object.entries(safe).filter(([name]) => !lineFields.has(name)));
  }
}

type FormLine = (event: string, fields: LogFields) => object;

function logOver(logger: Logger, form: FormLine): Log {
  const writer =
    (level: Exclude<LogLevel, 'silent'>): WriteLine =>
    (event, fields = {}) => {
      if (logger.isLevelEnabled(level)) logger[level](form(event, fields));
    };
  return {
    trace: writer('trace'),
    debug: writer('debug'),
    info: writer('info'),
    warn: writer('warn'),
    error: writer('error'),
    fatal: writer('fatal'),
    writes: (level) => logger.isLevelEnabled(level),
    child: (bound) => logOver(logger, (event, fields) => form(event, { ...bound, ...fields })),
  };
}
