/** What the app got of the calls of a turn. */
export interface CallsGiven {
  /** Calls that an earlier hop gave. */
  readonly earlier: boolean;
  /** Calls of the last hop. */
  readonly own: boolean;
  /** Whether the last hop made calls that stay inside. */
  readonly hidden: boolean;
}

/**
 * The `finish_reason` that fits what the app got, where the upstream's does not; `undefined` where it stays. One that tells of a
 * cut answer stays, as does any of a hop that is the whole answer: some say `stop` of calls.
 */
export function fittingFinish(stated: unknown, calls: CallsGiven): 'tool_calls' | 'stop' | undefined {
  if (stated !== 'stop' && stated !== 'tool_calls') return undefined;
  if (calls.earlier) return stated === 'tool_calls' ? undefined : 'tool_calls';
  return stated === 'tool_calls' && calls.hidden && !calls.own ? 'stop' : undefined;
}
