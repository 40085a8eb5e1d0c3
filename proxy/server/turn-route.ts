import type { IncomingMessage, ServerResponse } from 'node:http';

import type { ConfigState } from '../config/index.ts';
import { ToolrollError } from '../core/errors.ts';
import type { ProtocolAdapter } from '../core/protocols/index.ts';
import type { Turn } from '../core/turn/index.ts';
import type { Telemetry } from '../telemetry/index.ts';
import { decodeBody, UpstreamFailure, withoutHeaders } from '../upstream/index.ts';
import type { Upstream } from '../upstream/index.ts';
import { AppResponse } from './app-response.ts';
import { decodeUtf8 } from './decode-text.ts';
import { forwardTurn } from './forward-turn.ts';
import { planRequest } from './planned-turn.ts';
import type { PlanningFacts } from './planned-turn.ts';
import { ClientClosedError, readBody } from './read-body.ts';
import { runTurn } from './run-turn.ts';
import { TurnRecord } from './turn-record.ts';

/** What turns are run with. */
export interface TurnServices {
  /** What serves now; a turn takes it once and keeps it. */
  readonly config: () => ConfigState;
  readonly upstream: Upstream;
  readonly telemetry: Telemetry;
  readonly settings: TurnSettings;
}

export interface TurnSettings {
  readonly withoutRules: 'refuse' | 'pass';
  readonly bodyLimitBytes: number;
  readonly keepaliveSeconds: number;
}

/** One request on its way, and everything that belongs to it alone. */
interface Passage {
  readonly request: IncomingMessage;
  readonly path: string;
  readonly rules: Pick<PlanningFacts, 'ruleSets' | 'skills'>;
  readonly app: AppResponse;
  readonly record: TurnRecord;
  readonly signal: AbortSignal;
}

/** Makes the one route for turns, whatever their protocol. */
export function createTurnRoute<T extends Turn>(
  adapter: ProtocolAdapter<T>,
  services: TurnServices,
): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  const { telemetry } = services;
  return async (request, response) => {
    const state = services.config();
    const revision = state.status === 'ready' ? state.snapshot.revision : 'none';
    const path = request.url ?? '/';
    const record = new TurnRecord({
      protocol: adapter.protocol,
      path: path.split('?')[0] ?? path,
      revision,
      now: () => performance.now(),
      arrivedAt: performance.now(),
    });
    const app = new AppResponse(response, record, revision);
    const signal = abortWhenGone(response);
    try {
      const rules = usableRules(state, services.settings);
      await takeTurn(adapter, services, { request, path, rules, app, record, signal });
    } catch (error) {
      settle(error, { app, record, signal, telemetry });
    } finally {
      app.stopKeepalive();
      telemetry.recordTurn(record.facts());
    }
  };
}

/** The app going away ends the upstream call, and no further hop starts. */
function abortWhenGone(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) controller.abort();
  });
  return controller.signal;
}

/** A deny rule must not lapse because its file is broken, so without any valid rules turns are refused. */
function usableRules(state: ConfigState, settings: TurnSettings): Passage['rules'] {
  if (state.status === 'ready') return state.snapshot;
  if (settings.withoutRules === 'pass') return { ruleSets: [], skills: new Map() };
  throw new ToolrollError('rules_unavailable', {
    reason: state.status === 'invalid' ? state.lastError : 'they are still being loaded',
  });
}

async function takeTurn<T extends Turn>(
  adapter: ProtocolAdapter<T>,
  services: TurnServices,
  passage: Passage,
): Promise<void> {
  const { request, rules, record, app, signal } = passage;
  const body = await readBody(request, services.settings.bodyLimitBytes);
  const forward = (): Promise<void> =>
    forwardTurn({
      adapter,
      upstream: services.upstream,
      request: origin(passage),
      body,
      app,
      record,
      signal,
    });

  const bypass = (reason: string, ruleSet: string | null, turn?: Turn): Promise<void> => {
    record.bypassed(reason, ruleSet, turn);
    return forward();
  };
  if (rules.ruleSets.length === 0) return bypass('no_rule_set', null);
  const readable = await readText(request, body, services.settings.bodyLimitBytes);
  if (readable.kind === 'unreadable') return bypass(readable.reason, null);
  const planned = planRequest(adapter, readable.text, {
    ...rules,
    header: (name) => headerValues(request, name),
  });
  if (planned.kind === 'bypass') return bypass(planned.reason, planned.ruleSet, planned.turn);
  record.planned(planned);
  if (planned.isUntouched) return forward();
  const { upstream, settings, telemetry } = services;
  return runTurn({
    ...planned,
    adapter,
    upstream,
    request: { path: passage.path, headers: withoutHeaders(request.rawHeaders, CODING) },
    app,
    record,
    signal,
    keepaliveSeconds: settings.keepaliveSeconds,
    onFailure: (error) => {
      noteFailure(error, telemetry);
    },
  });
}

/** A rewritten body goes without a content coding. */
const CODING: ReadonlySet<string> = new Set(['content-encoding']);

function origin({ request, path }: Passage): { path: string; headers: readonly string[] } {
  return { path, headers: request.rawHeaders };
}

type Readable =
  { readonly kind: 'text'; readonly text: string } | { readonly kind: 'unreadable'; readonly reason: string };

/** @throws ToolrollError `body_too_large` if it decodes to more than the limit */
async function readText(request: IncomingMessage, body: Buffer, limitBytes: number): Promise<Readable> {
  if (!/^\s*application\/([\w.+-]+\+)?json\b/i.test(request.headers['content-type'] ?? '')) {
    return { kind: 'unreadable', reason: 'content_type' };
  }
  const decoded = await decodeBody(body, request.headers['content-encoding'], limitBytes);
  switch (decoded.kind) {
    case 'too_large':
      throw new ToolrollError('body_too_large', { limit: limitBytes });
    case 'unsupported':
    case 'corrupt':
      return { kind: 'unreadable', reason: 'content_encoding' };
    case 'decoded': {
      const { bytes } = decoded;
      const text = decodeUtf8(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
      if (text === undefined) return { kind: 'unreadable', reason: 'not_utf8' };
      // Some servers read past a byte order mark, so a deny rule has to as well; a rewritten body goes without it.
      return { kind: 'text', text: text.startsWith('\uFEFF') ? text.slice(1) : text };
    }
    default:
      return decoded satisfies never;
  }
}

function headerValues(request: IncomingMessage, name: string): readonly string[] {
  return request.headersDistinct[name] ?? [];
}

interface Settling {
  readonly app: AppResponse;
  readonly record: TurnRecord;
  readonly signal: AbortSignal;
  readonly telemetry: Telemetry;
}

/** A turn that ended by an error: the app is told as well as can still be done, and the record says why. */
function settle(error: unknown, { app, record, signal, telemetry }: Settling): void {
  if (signal.aborted || error instanceof ClientClosedError) {
    record.ended('client_closed');
    app.cut();
    return;
  }
  noteFailure(error, telemetry);
  const told = toToolrollError(error);
  record.hopFailed(told.message);
  record.failed(told);
  if (app.isCommitted) app.cut();
  else {
    telemetry.recordRefusal(told.code);
    app.refuse(told);
  }
}

function toToolrollError(error: unknown): ToolrollError {
  if (error instanceof ToolrollError) return error;
  if (error instanceof UpstreamFailure) return error.toToolrollError();
  return new ToolrollError('internal', {}, { cause: error });
}

function noteFailure(error: unknown, telemetry: Telemetry): void {
  if (error instanceof UpstreamFailure) {
    if (error.kind !== 'aborted') telemetry.recordUpstreamError(error.kind);
    telemetry.log.warn('upstream_failed', { kind: error.kind, reason: error.reason });
  } else if (error instanceof ToolrollError) {
    telemetry.log.info('turn_refused', { code: error.code, message: error.message });
  } else {
    const stack = error instanceof Error ? error.stack : String(error);
    telemetry.log.error('turn_failed', { stack });
  }
}
