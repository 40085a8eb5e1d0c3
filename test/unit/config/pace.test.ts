import { runAtOnce, runInSlices } from '../../../proxy/config/pace.ts';
import type { Steps } from '../../../proxy/config/pace.ts';

/** Adds up numbers, one to a step, each of which takes a while. */
function* sumUp(numbers: readonly number[], millisecondsEach: number): Steps<number> {
  let sum = 0;
  for (const number of numbers) {
    const end = performance.now() + millisecondsEach;
    while (performance.now() < end) sum += 0;
    if (number < 0) throw new Error(`${String(number)} is negative`);
    sum += number;
    yield;
  }
  return sum;
}

describe('a computation in steps', () => {
  test('comes to the same at once and in slices', async () => {
    expect(runAtOnce(sumUp([1, 2, 3], 0))).toBe(6);
    expect(await runInSlices(sumUp([1, 2, 3], 0))).toBe(6);
    expect(await runInSlices(sumUp([1, 2, 3], 3))).toBe(6);
  });

  test('that throws is over with that error either way', async () => {
    expect(() => runAtOnce(sumUp([1, -2, 3], 0))).toThrow('-2 is negative');
    await expect(runInSlices(sumUp([1, -2, 3], 3))).rejects.toThrow('-2 is negative');
  });

  test('lets other work in between its slices', async () => {
    const work = { turns: 0, over: false };
    const other = (): void => {
      if (work.over) return;
      work.turns += 1;
      setImmediate(other);
    };
    setImmediate(other);
    await runInSlices(sumUp([1, 2, 3, 4, 5, 6], 3));
    work.over = true;
    // Each step is longer than a slice.
    expect(work.turns).toBeGreaterThanOrEqual(5);
  });
});
