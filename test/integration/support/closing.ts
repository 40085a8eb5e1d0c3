/** Something that a test started. */
interface Closable {
  close(): Promise<void>;
}

/**
 * Registers what a test starts, to be closed after it, the last first: `const started = closing();` at the top of a
 * file, then `await started(startScript(…))`.
 */
export function closing(): <T extends Closable>(starting: Promise<T>) => Promise<T> {
  const open: Closable[] = [];
  afterEach(async () => {
    for (const closable of open.splice(0).reverse()) await closable.close();
  });
  return async (starting) => {
    const started = await starting;
    open.push(started);
    return started;
  };
}
