import { constants, open } from 'node:fs/promises';
import { maxFileBytes } from './parse-document.ts';

/**
 * The bytes of a file; `undefined` for what is no file, `changed` where it grew under the reader. At most one byte more
 * than a file may have is read, so that a larger one is seen as such.
 *
 * @throws the file system's error
 */
export async function readBounded(file: string): Promise<Uint8Array | 'changed' | undefined> {
  // Without O_NONBLOCK, opening a named pipe would wait for a writer.
  const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) return undefined;
    // The one byte more also shows that the file grew since.
    const bytes = new Uint8Array(Math.min(stats.size, maxFileBytes) + 1);
    let length = 0;
    while (length < bytes.length) {
      const { bytesRead } = await handle.read(bytes, length, bytes.length - length);
      if (bytesRead === 0) return bytes.subarray(0, length);
      length += bytesRead;
    }
    return length > maxFileBytes ? bytes : 'changed';
  } finally {
    await handle.close();
  }
}
