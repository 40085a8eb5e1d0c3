/** The proxy's log as the demo shows it: reloads and what goes wrong, a line each, nothing else. */
import type { StartOptions } from '../../proxy/main.ts';

type Log = NonNullable<StartOptions['log']>;
type Fields = Readonly<Record<string, unknown>>;

/** A log that can be told from when on reloads are news. */
export interface ReloadLog {
  readonly log: Log;
  /** The first load is not news; those after this call are. */
  readonly showReloads: () => void;
}

/** Makes the log; `print` takes one line. */
export function createReloadLog(print: (line: string) => void): ReloadLog {
  let reloadsShown = false;
  const told = (event: string, fields: Fields = {}): void => {
    const line = describeReload(event, fields);
    if (line === undefined) print(`${event} ${JSON.stringify(fields)}`);
    else if (reloadsShown) print(line);
  };
  const ifReload = (event: string, fields: Fields = {}): void => {
    if (describeReload(event, fields) !== undefined) told(event, fields);
  };
  const log: Log = {
    trace: () => undefined,
    debug: () => undefined,
    info: ifReload,
    warn: told,
    error: told,
    fatal: told,
    writes: (level) => level === 'warn' || level === 'error' || level === 'fatal',
    child: () => log,
  };
  return {
    log,
    showReloads: () => {
      reloadsShown = true;
    },
  };
}

/** A reload in words; undefined for any other event. */
function describeReload(event: string, fields: Fields): string | undefined {
  const revision = shorten(fields['revision']);
  switch (event) {
    case 'rules_applied':
      return `Rules reloaded: revision ${revision} serves.`;
    case 'rules_none':
      return `Rules reloaded: there is no rule file any more, everything passes through.`;
    case 'rules_restored':
      return `Rules as before: revision ${revision} serves.`;
    case 'rules_refused':
      return `Rules refused, revision ${shorten(fields['serving'])} goes on serving: ${JSON.stringify(fields['faults'])}`;
    default:
      return undefined;
  }
}

function shorten(revision: unknown): string {
  return typeof revision === 'string' ? revision.slice(0, 19) : 'none';
}
