import { realpath, stat } from 'node:fs/promises';
import { watch } from 'chokidar';
import type { FSWatcher } from 'chokidar';
import { isConfigMap } from './hold-still.ts';
import { skillsDirectoryOf } from './read-config.ts';
import type { ConfigPlaces } from './read-config.ts';
import type { ConfigLog } from './store.ts';

/** How the rules directory is watched. */
export interface WatchSettings {
  /** The mount directory itself: a watch on `..data` would miss changes. */
  readonly directory: string;
  /** Called when something may have changed; overlapping calls are the callee's business. */
  readonly onChange: () => void;
  /** How often to look without having been told, in seconds. */
  readonly pollSeconds: number;
  readonly log: ConfigLog;
  /** How long after the last event to look, in milliseconds. */
  readonly debounceMs?: number;
  /** Where news comes from; `poll` alone is for file systems that tell nothing, `events` for a watch beside another's poll. */
  readonly sources?: 'events-and-poll' | 'poll' | 'events';
  /** How far down events are wanted where the directory is no ConfigMap volume: 0, the default, for its own entries. */
  readonly depth?: 0 | 1;
}

/** A running watch. */
export interface DirectoryWatch {
  /** Ends events, timers and the poll. */
  close(): Promise<void>;
}

const defaultDebounceMs = 250;
/** A directory that is not there yet is looked for at least this often, in milliseconds. */
const absentPollMs = 1000;

/**
 * Watches a rules directory: file events, debounced, and a poll as a safety net, since inotify is unreliable under
 * some runtimes and on network file systems. The directory may be absent, appear later, and be replaced.
 */
export function watchDirectory(settings: WatchSettings): DirectoryWatch {
  const running = new RunningWatch(settings);
  running.start();
  return running;
}

/** What is watched for configuration. */
export interface ConfigWatchSettings extends Omit<WatchSettings, 'directory' | 'depth'>, ConfigPlaces {}

/**
 * Watches the rules directory and the directory of skills. Any change of either leads to one look at both; the poll of
 * the first serves the second too, which may appear later.
 */
export function watchConfig({
  rulesDirectory,
  skillsDirectory,
  ...rest
}: ConfigWatchSettings): DirectoryWatch {
  const skills = new RunningWatch({
    ...rest,
    directory: skillsDirectoryOf({ rulesDirectory, skillsDirectory }),
    sources: rest.sources === 'poll' ? 'poll' : 'events',
    depth: 1,
  });
  const rules = new RunningWatch({
    ...rest,
    directory: rulesDirectory,
    onChange: () => {
      skills.follow();
      rest.onChange();
    },
  });
  skills.start();
  rules.start();
  return {
    close: async () => {
      await Promise.all([rules.close(), skills.close()]);
    },
  };
}

class RunningWatch implements DirectoryWatch {
  private readonly settings: WatchSettings;
  private watcher: FSWatcher | undefined;
  /** Which directory the watcher holds: path, device and inode. */
  private watched: string | undefined;
  private debounce: NodeJS.Timeout | undefined;
  private poll: NodeJS.Timeout | undefined;
  private ticking: Promise<void> = Promise.resolve();
  private closed = false;

  constructor(settings: WatchSettings) {
    this.settings = settings;
  }

  start(): void {
    this.ticking = this.attach().then(() => {
      this.schedulePoll();
    });
  }

  /** Makes sure that what stands at the path now is what is watched. */
  follow(): void {
    this.ticking = this.ticking.then(() => this.attach());
  }

  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.debounce);
    clearTimeout(this.poll);
    await this.ticking;
    clearTimeout(this.debounce);
    await this.watcher?.close();
    this.watcher = undefined;
  }

  private schedulePoll(): void {
    if (this.closed || this.settings.sources === 'events') return;
    const usual = this.settings.pollSeconds * 1000;
    const delay = this.watched === undefined ? Math.min(usual, absentPollMs) : usual;
    this.poll = setTimeout(() => {
      this.lookSoon();
    }, delay);
    // A pending look at the rules must not keep a process alive that has nothing else to do.
    this.poll.unref();
  }

  /** One look at a time: a poll and an event may come together. */
  private lookSoon(): void {
    this.ticking = this.ticking.then(() => this.look());
  }

  private async look(): Promise<void> {
    clearTimeout(this.poll);
    await this.attach();
    if (!this.closed) this.settings.onChange();
    this.schedulePoll();
  }

  /** Makes the watcher hold the directory that stands at the path now. */
  private async attach(): Promise<void> {
    const found = await identify(this.settings.directory);
    if (this.closed || found?.id === this.watched) return;
    await this.watcher?.close();
    this.watcher = undefined;
    this.watched = found?.id;
    if (found === undefined || this.settings.sources === 'poll') return;
    this.watcher = this.open(found.path, found.mapped ? 0 : (this.settings.depth ?? 0));
  }

  private open(directory: string, depth: number): FSWatcher {
    const touched = (): void => {
      this.touched();
    };
    // Dot names must not be ignored: the event of a swap is `change ..data`.
    const watcher = watch(directory, { depth, followSymlinks: false, ignoreInitial: true });
    watcher.on('all', touched);
    // What changed between the first load and this moment raised no event.
    watcher.on('ready', touched);
    watcher.on('error', (error) => {
      this.watched = undefined;
      this.settings.log.warn('rules_watch_failed', { directory, reason: String(error) });
    });
    return watcher;
  }

  private touched(): void {
    if (this.closed) return;
    clearTimeout(this.debounce);
    this.debounce = setTimeout(() => {
      this.lookSoon();
    }, this.settings.debounceMs ?? defaultDebounceMs);
  }
}

/** The directory that stands at a path now. */
interface Identity {
  readonly path: string;
  readonly id: string;
  /** It is a ConfigMap volume, whose swaps are all told by its own entries. */
  readonly mapped: boolean;
}

/** A directory reached through links is watched where it really stands: a watcher does not follow them. */
async function identify(directory: string): Promise<Identity | undefined> {
  try {
    const real = await realpath(directory);
    const { dev, ino } = await stat(real);
    const mapped = await isConfigMap(real);
    return { path: real, id: `${real}:${String(dev)}:${String(ino)}:${String(mapped)}`, mapped };
  } catch {
    return undefined;
  }
}
