import { isJsonObject, parseJson, stringField } from '../core/json/index.ts';
import { ToolrollError } from '../core/errors.ts';
import type { Turn } from '../core/turn/index.ts';
import type { UpstreamResponse } from '../upstream/index.ts';
import type { HopTimer } from './hop-timer.ts';
import type { StreamAnswer } from './stream-answer.ts';
import type { AnswerContext } from './turn-run.ts';

/**
 * Gives the app an upstream's answer that is no success: status, headers and body as they came. Where the app's stream
 * has begun already, the status is gone, and the error is said inside it.
 */
export async function relayError<T extends Turn>(
  { run, timer }: AnswerContext<T>,
  response: UpstreamResponse,
  stream: StreamAnswer<T>,
): Promise<void> {
  const { app, record } = run;
  record.hopEnded(undefined);
  const outcome = response.status >= 400 ? 'upstream_error' : 'ok';
  const code = `upstream_${String(response.status)}`;
  if (app.isCommitted) {
    const message = await readMessage(response, timer);
    record.ended(outcome, { code, message });
    await stream.fail(new ToolrollError('upstream_refused', { status: response.status, message }));
    return;
  }
  record.ended(outcome, { code, message: `the upstream answered ${String(response.status)}` });
  app.begin(response, 'as_sent');
  await timer.consume(response.body, (chunk) => app.write([chunk]));
  app.end();
}

/** More than an error's text has. */
const MAX_ERROR_CHARS = 65_536;

async function readMessage({ body: answer }: UpstreamResponse, timer: HopTimer): Promise<string> {
  let text = '';
  const decoder = new TextDecoder();
  await timer.consume(answer, (chunk) => {
    if (text.length < MAX_ERROR_CHARS) text += decoder.decode(chunk, { stream: true });
    return undefined;
  });
  const body = parseJson(text);
  const error = isJsonObject(body) ? body['error'] : undefined;
  return (isJsonObject(error) ? stringField(error, 'message') : undefined) ?? text.slice(0, 200);
}
