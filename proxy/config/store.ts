import { fileFault } from './fault.ts';
import type { Fault } from './fault.ts';
import { defaultSkillMaxTokens } from './load-directory.ts';
import type { SkillSettings } from './load-directory.ts';
import { loadFiles, revisionOf } from './load-files.ts';
import type { LoadedFile, LoadedRules } from './load-files.ts';
import type { CompiledRuleSet } from '../core/rules/index.ts';
import type { SkillMap } from '../core/skills/index.ts';
import { SkillLoader } from './load-skills.ts';
import type { LoadedSkills } from './load-skills.ts';
import { readConfig } from './read-config.ts';
import type { ConfigContent } from './read-config.ts';
import type { SkillContent, SkillFiles } from './read-skills.ts';
import type { SkillFault } from './skill-fault.ts';

/** One revision of rules and skills, frozen. A turn takes one when it begins and keeps it to its end. */
export interface Snapshot {
  readonly revision: string;
  readonly files: readonly LoadedFile[];
  readonly ruleSets: readonly CompiledRuleSet[];
  /** True where there is no rule file: everything passes through. */
  readonly empty: boolean;
  /** The skills that loaded. */
  readonly skills: SkillMap;
  /** What is wrong with other skills; it keeps neither rules nor good skills from serving. */
  readonly skillFaults: readonly SkillFault[];
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
export interface ConfigStoreSettings extends SkillSettings {
  /** The rules directory. */
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
  private readonly skillLoader: SkillLoader;
  /** What was read last of the skills, for a reading that fails. */
  private skillFiles: SkillFiles = new Map();
  /** What the last reading of the skills complained of; not part of any file, so no revision tells it. */
  private skillReadFaults: readonly SkillFault[] = [];
  private state: ConfigState = { status: 'loading' };
  private running: Promise<ReloadOutcome> | undefined;
  private waiting: Promise<ReloadOutcome> | undefined;

  constructor(settings: ConfigStoreSettings) {
    this.settings = settings;
    this.skillLoader = new SkillLoader(settings.skillMaxTokens ?? defaultSkillMaxTokens);
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
    const { rules, skills } = await readConfig({
      rulesDirectory: this.settings.directory,
      skillsDirectory: this.settings.skillsDirectory,
    });
    const serving = this.state.status === 'ready' ? this.state.snapshot : undefined;
    if (rules.faults.length > 0) return this.refuse('unreadable', rules.faults);
    if (rules.missing && serving !== undefined && this.wouldLose(serving)) {
      return this.refuse('missing', [fileFault('', 'the rules directory is gone')]);
    }
    const skillFiles = this.usableSkills(skills);
    const revision = revisionOf(new Map([...rules.files, ...skillFiles]));
    const sameSkillFaults = sameFaults(this.skillReadFaults, skills.faults);
    if (revision === serving?.revision && sameSkillFaults) return this.confirm(revision);
    if (this.refusal()?.revision === revision) return this.refuse(revision, this.refusal()?.faults ?? []);
    const loaded = await loadFiles(rules.files);
    if (loaded.faults.length > 0) return this.refuse(revision, loaded.faults);
    const loadedSkills = await this.skillLoader.load(skillFiles);
    this.skillReadFaults = skills.faults;
    return this.apply({ ...loaded, revision }, loadedSkills, rules);
  }

  /** A directory that vanished is no order to drop what was in it. */
  private wouldLose({ empty, skills }: Snapshot): boolean {
    return !empty || (this.settings.skillsDirectory === undefined && skills.size > 0);
  }

  /** Where the skills cannot be read, those that were read last stay. */
  private usableSkills({ files, state }: SkillContent): SkillFiles {
    if (state !== 'unreadable') this.skillFiles = files;
    return this.skillFiles;
  }

  private refusal(): Refusal | undefined {
    return this.state.status === 'loading' ? undefined : this.state.refusal;
  }

  private apply(
    { revision, files, ruleSets, empty }: LoadedRules,
    { skills, faults: loadFaults }: LoadedSkills,
    { missing }: ConfigContent['rules'],
  ): Omit<ReloadOutcome, 'loadedAt' | 'durationMs'> {
    const skillFaults = [...this.skillReadFaults, ...loadFaults];
    const snapshot: Snapshot = Object.freeze({
      revision,
      files: Object.freeze([...files]),
      ruleSets: Object.freeze([...ruleSets]),
      empty,
      skills,
      skillFaults: Object.freeze(skillFaults),
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
        skills: skills.size,
      });
    if (skillFaults.length > 0) log.warn('skills_faulty', { revision, faults: skillFaults });
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
