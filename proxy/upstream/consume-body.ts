import { UpstreamFailure } from './failure.ts';
import type { ResponseBodyOptions } from './response-body.ts';

/** What is known of an answer's end. */
export interface BodyEnd {
  readonly isOver: () => boolean;
  readonly isWhole: () => boolean;
  readonly failure: (kind: 'aborted' | 'closed') => UpstreamFailure;
  readonly destroy: () => void;
}

/** Takes a chunk; a promise stops the reading until it is fulfilled. */
export type TakeChunk = (chunk: Uint8Array) => Promise<void> | undefined;

const ENDINGS = ['end', 'close', 'error'] as const;

/**
 * Hands over an answer chunk by chunk, as the events come.
 *
 * @throws {UpstreamFailure} where the answer ends before it is whole; and whatever `take` throws
 */
export function consumeBody(options: ResponseBodyOptions, end: BodyEnd, take: TakeChunk): Promise<void> {
  const { exchange, source, idleTimeoutMs } = options;
  return new Promise((resolve, reject) => {
    let isPaused = false;
    const idle = setTimeout(() => {
      // A reader who pauses is not an upstream that does not send.
      if (isPaused) idle.refresh();
      else exchange.fail(new UpstreamFailure('idle_timeout', { timeoutMs: idleTimeoutMs }));
    }, idleTimeoutMs);
    source.on('data', onData);
    for (const event of ENDINGS) source.on(event, look);
    exchange.onFailure(look);
    look();

    function onData(chunk: Uint8Array): void {
      idle.refresh();
      try {
        const taken = take(chunk);
        if (taken !== undefined) pauseFor(taken);
      } catch (error) {
        settle(error);
      }
    }

    function pauseFor(taken: Promise<void>): void {
      isPaused = true;
      source.pause();
      taken.then(() => {
        isPaused = false;
        idle.refresh();
        source.resume();
        look();
      }, settle);
    }

    function look(): void {
      if (exchange.failure()?.kind === 'aborted') settle(end.failure('aborted'));
      else if (!isPaused && end.isOver()) settle(end.isWhole() ? undefined : end.failure('closed'));
    }

    function settle(error: unknown): void {
      clearTimeout(idle);
      source.off('data', onData);
      for (const event of ENDINGS) source.off(event, look);
      end.destroy();
      if (error === undefined) resolve();
      else reject(error instanceof Error ? error : new Error('taking a chunk failed', { cause: error }));
    }
  });
}
