import type { IncomingMessage } from 'node:http';
import { ToolrollError } from '../core/errors.ts';

/** The app went away before its request was whole. There is nobody to answer. */
export class ClientClosedError extends Error {
  constructor(options: { readonly cause?: unknown } = {}) {
    super('the client closed the connection before its request was whole', options);
    this.name = 'ClientClosedError';
  }
}

/**
 * Collects the raw bytes of a request. Framework parsers are kept out on purpose: they re-serialise, and a body is
 * forwarded byte for byte.
 * @param limitBytes most bytes taken. Of a larger body the rest is read and thrown away: a client that is still
 *   writing would otherwise be reset before it reads the 413. The server's own `requestTimeout` bounds that
 * @throws {ToolrollError} `body_too_large`; on a kept connection at once, and before the first byte where `content-length` says so
 * @throws {ClientClosedError} where the client leaves before the end
 */
export function readBody(request: IncomingMessage, limitBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let total = 0;

    request.on('data', onData);
    request.once('end', onEnd);
    // Stays to the end: an error after the answer was given up would otherwise end the process.
    request.on('error', onError);
    request.once('close', onClose);
    if (Number(request.headers['content-length'] ?? 0) > limitBytes) refuse();
    else if (request.destroyed) onClose();

    function onData(chunk: Buffer): void {
      total += chunk.byteLength;
      if (total > limitBytes) refuse();
      else chunks.push(chunk);
    }

    function refuse(): void {
      chunks.length = 0;
      stopCollecting();
      request.resume();
      const error = new ToolrollError('body_too_large', { limit: limitBytes });
      if (closesAfterAnswer(request)) {
        whenDrained(request, () => {
          reject(error);
        });
      } else reject(error);
    }

    function onEnd(): void {
      stopCollecting();
      const [only] = chunks;
      resolve(chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks, total));
    }

    function onError(cause: Error): void {
      stopCollecting();
      reject(new ClientClosedError({ cause }));
    }

    function onClose(): void {
      stopCollecting();
      reject(new ClientClosedError());
    }

    function stopCollecting(): void {
      request.off('data', onData);
      request.off('end', onEnd);
      request.off('close', onClose);
    }
  });
}

/** How long the rest of a refused body is waited for, in milliseconds, before the answer closes the connection. */
const drainMs = 10_000;

/** Node closes such a connection with its answer, under the hands of a client that still writes and then reads a reset. */
function closesAfterAnswer(request: IncomingMessage): boolean {
  return request.httpVersion === '1.0' || /\bclose\b/i.test(request.headers.connection ?? '');
}

function whenDrained(request: IncomingMessage, callback: () => void): void {
  const timer = setTimeout(callback, drainMs);
  const drained = (): void => {
    clearTimeout(timer);
    callback();
  };
  request.once('end', drained);
  request.once('close', drained);
}
