import type { Readable } from 'node:stream';
import { consumeBody } from './consume-body.ts';
import { UpstreamFailure, errorCode } from './failure.ts';
import type { Exchange } from './exchange.ts';

/** The bytes of an answer. Read it to its end or destroy it: until then its connection is taken. */
export interface ResponseBody extends AsyncIterable<Uint8Array> {
  /** Gives up the rest: the connection is closed unless the answer is whole. */
  destroy(): void;
  /**
   * Hands over each chunk as it comes, without the waits of an iteration, which cost more than the chunk of an event
   * stream does. Where `take` returns a promise, nothing more is read until it is fulfilled.
   *
   * @throws {UpstreamFailure} where the answer ends before it is whole; and whatever `take` throws
   */
  consume(take: (chunk: Uint8Array) => Promise<void> | undefined): Promise<void>;
}

export interface ResponseBodyOptions {
  readonly exchange: Exchange;
  /** The answer itself, or the decoder that it runs through. */
  readonly source: Readable;
  readonly idleTimeoutMs: number;
}

/**
 * Reads an answer at the pace of whoever iterates: nothing is taken from the socket beyond the stream's small buffer
 * until it is asked for, and the idle limit counts only while somebody waits.
 *
 * Iterating throws an {@link UpstreamFailure} where the answer ends before it is whole.
 */
export function createResponseBody(options: ResponseBodyOptions): ResponseBody {
  const { exchange, source } = options;
  let bytesReceived = 0;

  return {
    [Symbol.asyncIterator]: read,
    destroy,
    consume: (take) =>
      consumeBody(options, { isOver, isWhole, failure, destroy }, (chunk) => {
        bytesReceived += chunk.byteLength;
        return take(chunk);
      }),
  };

  async function* read(): AsyncGenerator<Uint8Array, void, undefined> {
    const waiter = createWaiter(source, options);
    try {
      for (;;) {
        if (exchange.failure()?.kind === 'aborted') throw failure('aborted');
        const chunk: unknown = source.read();
        if (chunk instanceof Uint8Array) {
          bytesReceived += chunk.byteLength;
          yield chunk;
        } else if (isOver()) {
          if (!isWhole()) throw failure('closed');
          return;
        } else await waiter.wait();
      }
    } finally {
      waiter.stop();
      destroy();
    }
  }

  function isOver(): boolean {
    return exchange.failure() !== undefined || source.readableEnded || source.destroyed;
  }

  /** A body that runs to the end of the connection ends the same way when it is reset: the failure tells. */
  function isWhole(): boolean {
    return exchange.failure() === undefined && source.readableEnded && exchange.incoming.complete;
  }

  function failure(kind: 'aborted' | 'closed'): UpstreamFailure {
    const known = exchange.failure();
    // A decoder that fails by itself takes the connection down with it: its own error came first.
    const decoderError =
      source !== exchange.incoming && isDecoderError(source.errored) ? source.errored : undefined;
    if (decoderError !== undefined)
      return new UpstreamFailure('malformed', { bytesReceived, cause: decoderError });
    return new UpstreamFailure(known?.kind ?? kind, {
      bytesReceived,
      timeoutMs: known?.timeoutMs ?? 0,
      cause: known?.cause,
    });
  }

  function destroy(): void {
    if (source.readableEnded && exchange.incoming.complete) return;
    exchange.request.destroy();
    source.destroy();
  }
}

function isDecoderError(error: Error | null): error is Error {
  const code = errorCode(error);
  return code !== undefined && /^(?:Z_|ERR_(?:_ERROR|BROTLI|ZLIB|PADDING)|ZSTD_)/.test(code);
}

/** Waits for the next thing to happen to a stream. */
interface Waiter {
  wait(): Promise<void>;
  stop(): void;
}

function createWaiter(source: Readable, { exchange, idleTimeoutMs }: ResponseBodyOptions): Waiter {
  let wake: (() => void) | undefined;
  let timer: NodeJS.Timeout | undefined;
  const happened = (): void => {
    const waiting = wake;
    wake = undefined;
    waiting?.();
  };
  for (const event of ['readable', 'end', 'close', 'error']) source.on(event, happened);
  exchange.onFailure(happened);
  return {
    wait: () =>
      new Promise((resolve) => {
        wake = resolve;
        // One timer for the whole answer. It also fires under a reader who pauses: then nobody waits, and it rests.
        if (timer === undefined) timer = setTimeout(onIdle, idleTimeoutMs);
        else timer.refresh();
      }),
    stop: () => {
      clearTimeout(timer);
    },
  };

  function onIdle(): void {
    if (wake === undefined) return;
    exchange.fail(new UpstreamFailure('idle_timeout', { timeoutMs: idleTimeoutMs }));
  }
}
