import { realpath, stat } from 'node:fs/promises';
import { watch } from 'chokidar';
import type { FSWatcher } from 'chokidar';
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
  /** Where news comes from; `poll` alone is for file systems that tell nothing. */
  readonly sources?: 'events-and-poll' | 'poll';
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
    if (this.closed) return;
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
    this.watcher = this.open(found.path);
  }

  private open(directory: string): FSWatcher {
    const touched = (): void => {
      this.touched();
    };
    // Dot names must not be ignored: the event of a swap is `change ..data`.
    const watcher = watch(directory, { depth: 0, followSymlinks: false, ignoreInitial: true });
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

/** A directory reached through links is watched where it really stands: a watcher does not follow them. */
async function identify(directory: string): Promise<{ path: string; id: string } | undefined> {
  try {
    const real = await realpath(directory);
    const { dev, ino } = await stat(real);
    return { path: real, id: `${real}:${String(dev)}:${String(ino)}` };
  } catch {
    return undefined;
  }
}
