/**
 * Runs inside a measured process (`node --import`), so that it is measured by its own counters: CPU time, memory, how long
 * the event loop was blocked, and profiles. It does nothing until it is asked.
 */
import { Session } from 'node:inspector/promises';
import { monitorEventLoopDelay } from 'node:perf_hooks';

/** What the probe can be asked; it answers each with a {@link Reading}. */
export type Ask = 'read' | 'watch_loop' | 'unwatch_loop' | 'profile' | 'end_profile';

/** The process at that moment. */
export interface Reading {
  /** User and system time of all its threads since it began, in microseconds. */
  readonly cpuMicros: number;
  readonly rssBytes: number;
  /** The longest block of the event loop since `watch_loop`, in milliseconds; 0 while nobody watches. */
  readonly worstBlockMs: number;
  /** After `end_profile`: the CPU profile as JSON. */
  readonly profile?: string;
}

/** How often the loop is looked at; it is part of every delay that the histogram records. */
const RESOLUTION_MS = 1;

const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
let session: Session | undefined;

async function answer(ask: unknown): Promise<Reading> {
  let worstBlockMs = 0;
  let profile: string | undefined;
  if (ask === 'watch_loop') {
    delays.reset();
    delays.enable();
  } else if (ask === 'unwatch_loop') {
    delays.disable();
    worstBlockMs = Math.max(delays.max / 1e6 - RESOLUTION_MS, 0);
  } else if (ask === 'profile') {
    session = new Session();
    session.connect();
    await session.post('Profiler.enable');
    await session.post('Profiler.setSamplingInterval', { interval: 200 });
    await session.post('Profiler.start');
  } else if (ask === 'end_profile') {
    profile = JSON.stringify((await session?.post('Profiler.stop'))?.profile);
    session?.disconnect();
  }
  const { user, system } = process.cpuUsage();
  const reading = { cpuMicros: user + system, rssBytes: process.memoryUsage.rss(), worstBlockMs };
  return profile === undefined ? reading : { ...reading, profile };
}

process.on('message', (message: unknown) => {
  if (typeof message !== 'object' || message === null || !('ask' in message) || !('id' in message)) return;
  const { ask, id } = message;
  void answer(ask).then((reading) => process.send?.({ id, reading }));
});
// The benchmark is gone: nobody would end this process.
process.on('disconnect', () => process.exit(0));
