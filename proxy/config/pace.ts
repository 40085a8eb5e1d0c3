import { setImmediate as nextTurn } from 'node:timers/promises';

/** A computation in small steps: it yields wherever it may be interrupted, and returns its result. */
export type Steps<T> = Generator<undefined, T, undefined>;

/**
 * How long steps follow each other before other work gets its turn, in milliseconds. Short, since a machine that is
 * short of processors stretches each slice several times.
 */
const sliceMs = 2;

/** Takes all steps at once. */
export function runAtOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Takes the steps a few milliseconds at a time, so that running turns are not held up. */
export async function runInSlices<T>(steps: Steps<T>): Promise<T> {
  let began = performance.now();
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (performance.now() - began < sliceMs) continue;
    await nextTurn();
    began = performance.now();
  }
}
