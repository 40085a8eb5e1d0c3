import type { Readable } from 'node:stream';
import { consumeBody } from './consume-body.ts';
import { UpstreamFailure, errorCode } from './failure.ts';
import type { Exchange } from './exchange.ts';

/** The bytes of an answer. Read it to its end or destroy it: until then its connection is taken. */
export interface ResponseBody {
  /** Gives up the rest: the connection is closed unless the answer is whole. */
  destroy(): void;
  /**
   * Hands over each chunk as it comes; an iteration's waits would cost more than an event does. Where `take` returns a
   * promise, nothing more is read until it is fulfilled.
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

/** Makes the body of an answer whose head has come. */
export function createResponseBody(options: ResponseBodyOptions): ResponseBody {
  const { exchange, source } = options;
  let bytesReceived = 0;

  return {
    destroy,
    consume: (take) =>
      consumeBody(options, { isOver, isWhole, failure, destroy }, (chunk) => {
        bytesReceived += chunk.byteLength;
        return take(chunk);
      }),
  };

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
