import type { ProtocolAdapter } from '../core/protocols/index.ts';
import type { Turn } from '../core/turn/index.ts';
import type { Upstream } from '../upstream/index.ts';
import type { RawHeaders } from '../upstream/index.ts';
import type { AppResponse } from './app-response.ts';
import { HopTimer } from './hop-timer.ts';
import type { TurnRecord } from './turn-record.ts';
import { UsageTail } from './usage-tail.ts';

/** A turn that goes on as it came. */
export interface ForwardedTurn {
  /** Reads the usage in the answer's tail. */
  readonly adapter: Pick<ProtocolAdapter<Turn>, 'readUsage'>;
  readonly upstream: Upstream;
  readonly request: { readonly path: string; readonly headers: RawHeaders };
  /** The original bytes, in the content coding in which they came. */
  readonly body: Uint8Array;
  readonly app: AppResponse;
  readonly record: TurnRecord;
  readonly signal: AbortSignal;
}

/**
 * Forwards the original bytes and gives the app the answer's, unread but for a look at the usage in its tail.
 *
 * @throws UpstreamFailure, also in the middle of the answer
 */
export async function forwardTurn(forwarded: ForwardedTurn): Promise<void> {
  const { adapter, upstream, request, body, app, record, signal } = forwarded;
  const timer = new HopTimer(record);
  record.hopStarted({ kind: 'answer', skills: [] }, 0, undefined);
  const response = await timer.wait(
    upstream.send({ method: 'POST', ...request, body, signal, answer: 'raw' }),
  );
  record.hopAnswered(response.status);
  if (response.status >= 400) record.ended('upstream_error', upstreamError(response.status));
  app.begin(response, 'as_sent');
  const tail = new UsageTail(response.headers['content-encoding'], adapter);
  await timer.consume(response.body, (chunk) => {
    tail.push(chunk);
    return app.write([chunk]);
  });
  record.hopEnded(tail.read());
  app.end();
}

function upstreamError(status: number): { code: string; message: string } {
  return { code: `upstream_${String(status)}`, message: `the upstream answered ${String(status)}` };
}
