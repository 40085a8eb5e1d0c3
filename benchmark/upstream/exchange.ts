/** One request on its way through a route. */
import type { IncomingMessage } from 'node:http';
import { ApiError } from './api-error.ts';
import type { Fault } from './faults/index.ts';
import type { ReceivedRequest } from './request-log.ts';
import { wait } from './send.ts';
import type { Outlet } from './send.ts';
import type { Memory } from './turn.ts';

/** What a route works with. */
export interface Exchange {
  readonly memory: Memory;
  readonly request: IncomingMessage;
  readonly outlet: Omit<Outlet, 'faults'>;
  readonly log: ReceivedRequest;
  /** Faults asked for, before it is known whether they strike this hop. */
  readonly faults: readonly Fault[];
  /** The id in the path. */
  readonly id: string;
}

/** Faults that come before any answer; true where one was the answer. */
export async function failEarly(outlet: Outlet): Promise<boolean> {
  const { faults, response, gone } = outlet;
  if (faults.none) return false;
  await wait(faults.number('delay', 'ms', 200) ?? 0, gone);
  if (gone.aborted) return true;
  if (faults.value('reset', 'at', 'headers') === 'headers') {
    response.destroy();
    return true;
  }
  const retryAfter = faults.value('rate_limit', 'retry_after', '30');
  if (retryAfter !== undefined) {
    response.setHeader('retry-after', retryAfter);
    response.setHeader('x-ratelimit-remaining-requests', '0');
    response.setHeader('x-ratelimit-reset-requests', `${retryAfter}s`);
    const message = `Rate limit reached. Please try again in ${retryAfter}s.`;
    throw new ApiError({ status: 429, message, type: 'requests', code: 'rate_limit_exceeded' });
  }
  const status = faults.number('server_error', 'status', 500);
  if (status !== undefined) {
    const message = 'The server had an error while processing your request. Sorry about that!';
    throw new ApiError({ status, message, type: 'server_error', code: 'server_error' });
  }
  return false;
}
