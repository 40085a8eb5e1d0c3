import autocannon from 'autocannon';

/** One kind of request. */
export interface Shot {
  readonly url: string;
  readonly body: string;
  /** How long the whole answer is; any other length is a failure. */
  readonly answerChars: number;
}

/** How hard to push. */
export interface LoadSettings {
  readonly connections: number;
  readonly requests: number;
}

/**
 * Sends that many requests over that many connections, each as soon as the one before it is answered.
 *
 * @returns the seconds that it took, from how long each answer did: autocannon itself ends on a whole second only
 * @throws Error if any answer is not as it should be
 */
export async function generateLoad(shot: Shot, { connections, requests }: LoadSettings): Promise<number> {
  const atOnce = Math.min(connections, requests);
  const result = await autocannon({
    url: shot.url,
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer benchmark' },
    body: shot.body,
    connections: atOnce,
    amount: requests,
    timeout: 30,
    verifyBody: (body) => String(body).length === shot.answerChars,
  });
  const failed = result.errors + result.timeouts + result.non2xx + result.mismatches;
  if (failed > 0 || result['2xx'] !== requests) {
    throw new Error(
      `${shot.url}: ${String(result['2xx'])} of ${String(requests)} answered; ` +
        `${String(result.errors)} errors, ${String(result.timeouts)} timeouts, ` +
        `${String(result.non2xx)} refused, ${String(result.mismatches)} of another length`,
    );
  }
  return (result.latency.average * requests) / atOnce / 1000;
}
