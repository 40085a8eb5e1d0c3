import { fileFault } from './fault.ts';
import type { Fault } from './fault.ts';
import { loadFiles, revisionOf } from './load-files.ts';
import type { LoadedFile } from './load-files.ts';
import type { CompiledRuleSet } from '../core/rules/index.ts';
import { readDirectory } from './read-directory.ts';

/** One revision of the rules, frozen. A turn takes one when it begins and keeps it to its end. */
export interface Snapshot {
  readonly revision: string;
  readonly files: readonly LoadedFile[];
  readonly ruleSets: readonly CompiledRuleSet[];
  /** True where there is no rule file: everything passes through. */
  readonly empty: boolean;
  /** When it was swapped in, in milliseconds since 1970. */
  readonly loadedAt: number;
}

/** A revision that was not taken. */
export interface Refusal {
  readonly revision: string;
  readonly faults: readonly Fault[];
  /** When it was seen first, in milliseconds since 1970. */
  readonly refusedAt: number;
}

/** What the store holds. */
export type ConfigState =
  | { readonly status: 'loading' }
  | {
      readonly status: 'ready';
      readonly snapshot: Snapshot;
      /** A newer revision that was refused while this one serves; `undefined` where what is on disk serves. */
      readonly refusal: Refusal | undefined;
      /** The refusal's faults; empty where there is none. */
      readonly lastFaults: readonly Fault[];
    }
  | {
      readonly status: 'invalid';
      readonly refusal: Refusal;
      readonly faults: readonly Fault[];
      /** The first fault as one line, for the answer to a turn and for readiness. */
      readonly lastError: string;
    };

/** What came of one look at the rules directory. */
export interface ReloadOutcome {
  /** applied: a new revision serves. unchanged: what is on disk serves already. refused: it has faults. */
  readonly kind: 'applied' | 'unchanged' | 'refused';
  /** The revision on disk. */
  readonly revision: string;
  readonly faults: readonly Fault[];
  /** True where the same revision was refused before: nothing new to count or to log. */
  readonly repeated: boolean;
  /** When the serving revision was swapped in, in milliseconds since 1970; `undefined` where none serves. */
  readonly loadedAt: number | undefined;
  readonly durationMs: number;
}

/** What the store needs from its surroundings. */
export interface ConfigStoreSettings {
  readonly directory: string;
  /** The clock, in milliseconds since 1970. */
  readonly now: () => number;
  readonly log: ConfigLog;
}

/** The part of the log that configuration writes to. */
export interface ConfigLog {
  readonly info: (event: string, fields?: Readonly<Record<string, unknown>>) => void;
  readonly warn: (event: string, fields?: Readonly<Record<string, unknown>>) => void;
  readonly error: (event: string, fields?: Readonly<Record<string, unknown>>) => void;
}

/**
 * Holds the revision that serves and replaces it as a whole. A revision with any fault is refused and the last good
 * one stays: a bad rule must not take traffic down, and a deny rule must not lapse.
 */
export class ConfigStore {
  private readonly settings: ConfigStoreSettings;
  private readonly listeners = new Set<(outcome: ReloadOutcome) => void>();
  private state: ConfigState = { status: 'loading' };
  private running: Promise<ReloadOutcome> | undefined;
  private waiting: Promise<ReloadOutcome> | undefined;

  constructor(settings: ConfigStoreSettings) {
    this.settings = settings;
  }

  /** What serves now. The same object until the next change. */
  current(): ConfigState {
    return this.state;
  }

  /** Tells the listener of every outcome, until the returned function is called. */
  onReload(listener: (outcome: ReloadOutcome) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /**
   * Looks at the directory and takes what it finds, if it is good. Never two at a time: calls during a reload share
   * the one that follows it, which sees everything that was on disk when they were made.
   */
  reload(): Promise<ReloadOutcome> {
    if (this.running === undefined) return this.start();
    this.waiting ??= this.running.then(
      () => this.startWaiting(),
      () => this.startWaiting(),
    );
    return this.waiting;
  }

  private startWaiting(): Promise<ReloadOutcome> {
    this.waiting = undefined;
    return this.start();
  }

  private start(): Promise<ReloadOutcome> {
    this.running = this.reloadOnce().finally(() => {
      this.running = undefined;
    });
    return this.running;
  }

  private async reloadOnce(): Promise<ReloadOutcome> {
    const began = this.settings.now();
    // Not expected to throw; if it does, the last good revision stays as with any other fault.
    const found = await this.look().catch((error: unknown) =>
      this.refuse('unreadable', [fileFault('', `the rules could not be loaded: ${String(error)}`)]),
    );
    const outcome: ReloadOutcome = {
      ...found,
      loadedAt: this.state.status === 'ready' ? this.state.snapshot.loadedAt : undefined,
      durationMs: this.settings.now() - began,
    };
    for (const listener of this.listeners) listener(outcome);
    return outcome;
  }

  private async look(): Promise<Omit<ReloadOutcome, 'loadedAt' | 'durationMs'>> {
    const content = await readDirectory(this.settings.directory);
    const serving = this.state.status === 'ready' ? this.state.snapshot : undefined;
    if (content.faults.length > 0) return this.refuse('unreadable', content.faults);
    if (content.missing && serving !== undefined && !serving.empty) {
      return this.refuse('missing', [fileFault('', 'the rules directory is gone')]);
    }
    const revision = revisionOf(content.files);
    if (revision === serving?.revision) return this.confirm(revision);
    if (this.refusal()?.revision === revision) return this.refuse(revision, this.refusal()?.faults ?? []);
    const loaded = await loadFiles(content.files);
    if (loaded.faults.length > 0) return this.refuse(revision, loaded.faults);
    return this.apply(loaded, content.missing);
  }

  private refusal(): Refusal | undefined {
    return this.state.status === 'loading' ? undefined : this.state.refusal;
  }

  private apply(
    loaded: Omit<Snapshot, 'loadedAt'>,
    missing: boolean,
  ): Omit<ReloadOutcome, 'loadedAt' | 'durationMs'> {
    const { revision, files, ruleSets, empty } = loaded;
    const snapshot: Snapshot = Object.freeze({
      revision,
      files: Object.freeze([...files]),
      ruleSets: Object.freeze([...ruleSets]),
      empty,
      loadedAt: this.settings.now(),
    });
    this.state = { status: 'ready', snapshot, refusal: undefined, lastFaults: [] };
    const { directory, log } = this.settings;
    if (empty) {
      const what = missing ? 'the rules directory does not exist' : 'there is no rule file';
      log.warn('rules_none', { directory, revision, note: `${what}: everything passes through` });
    } else
      log.info('rules_applied', {
        revision,
        files: files.length,
        ruleSets: ruleSets.map(({ name }) => name),
      });
    return { kind: 'applied', revision, faults: [], repeated: false };
  }

  /** What is on disk is what serves; if something else was refused in between, that is over. */
  private confirm(revision: string): Omit<ReloadOutcome, 'loadedAt' | 'durationMs'> {
    if (this.state.status === 'ready' && this.state.refusal !== undefined) {
      this.state = { ...this.state, refusal: undefined, lastFaults: [] };
      this.settings.log.info('rules_restored', { revision });
    }
    return { kind: 'unchanged', revision, faults: [], repeated: false };
  }

  private refuse(revision: string, faults: readonly Fault[]): Omit<ReloadOutcome, 'loadedAt' | 'durationMs'> {
    const before = this.refusal();
    const repeated = before?.revision === revision && sameFaults(before.faults, faults);
    if (!repeated) {
      const refusal: Refusal = Object.freeze({ revision, faults, refusedAt: this.settings.now() });
      const serving = this.state.status === 'ready' ? this.state.snapshot.revision : null;
      this.state =
        this.state.status === 'ready'
          ? { ...this.state, refusal, lastFaults: faults }
          : { status: 'invalid', refusal, faults, lastError: inOneLine(faults) };
      this.settings.log.error('rules_refused', { revision, serving, faults });
    }
    return { kind: 'refused', revision, faults, repeated };
  }
}

function sameFaults(one: readonly Fault[], other: readonly Fault[]): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function inOneLine(faults: readonly Fault[]): string {
  const [first] = faults;
  if (first === undefined) return 'unknown';
  const place = first.file === '' ? '' : `${first.file}:${String(first.line)}: `;
  const rest = faults.length > 1 ? ` (and ${String(faults.length - 1)} more)` : '';
  return `${place}${first.message}${rest}`;
}
