import express from 'express';
import type { ErrorRequestHandler, Request, Response, Router } from 'express';

import type { ConfigState, Fault, ReloadOutcome, Snapshot } from '../config/index.ts';
import { ToolrollError } from '../core/errors.ts';
import { clearSkills } from '../core/skills/index.ts';
import { decodeBody } from '../upstream/index.ts';
import { decodeUtf8 } from './decode-text.ts';
import { ClientClosedError, readBody } from './read-body.ts';

/** What the routes of skills need. */
export interface SkillRoutesSettings {
  /** What serves now. */
  readonly config: () => ConfigState;
  /** Looks at what is on disk, and takes it if it is good. */
  readonly reload: () => Promise<ReloadOutcome>;
  /** The largest conversation that is cleared, in bytes. */
  readonly bodyLimitBytes: number;
  /** Told of faults of ours, which the app only hears of as `internal`. */
  readonly onFailure: (error: unknown) => void;
}

/**
 * The routes by which apps see skills: `GET /v1/skills/list`, `GET` or `POST /v1/skills/reload`, `POST /v1/skills/clear`.
 * Any other path or method goes on to what follows, since upstreams have a `/v1/skills` of their own.
 */
export function createSkillRoutes(settings: SkillRoutesSettings): Router {
  const { config, reload, bodyLimitBytes, onFailure } = settings;
  const router = express.Router({ caseSensitive: true, strict: true });

  router.get('/v1/skills/list', (_request, response) => {
    response.json(listOf(serving(config())));
  });

  const answerReload = async (_request: Request, response: Response): Promise<void> => {
    const { kind, faults } = await reload();
    if (kind === 'refused') throw new ToolrollError('reload_refused', { reason: inWords(faults) });
    const snapshot = serving(config());
    response.json({ ...listOf(snapshot), faults: snapshot.skillFaults });
  };
  router.get('/v1/skills/reload', answerReload);
  router.post('/v1/skills/reload', answerReload);

  router.post('/v1/skills/clear', async (request, response) => {
    const cleared = clearSkills(await readText(request, bodyLimitBytes));
    if (cleared.kind === 'unreadable') {
      throw new ToolrollError('invalid_request', { reason: cleared.reason }, paramOf(cleared.param));
    }
    response.type('json').send(cleared.text);
  });

  router.use(answerError(onFailure));
  return router;
}

/** @throws ToolrollError `rules_unavailable` while nothing serves */
function serving(state: ConfigState): Snapshot {
  if (state.status === 'ready') return state.snapshot;
  throw new ToolrollError('rules_unavailable', {
    reason: state.status === 'invalid' ? state.lastError : 'they are still being loaded',
  });
}

function listOf({ skills, revision }: Snapshot): object {
  const data = [...skills.values()].map(({ name, description }) => ({ name, description }));
  return { object: 'list', data, revision };
}

/** The most faults that are told in one message; the log and the control API have them all. */
const maxToldFaults = 10;

function inWords(faults: readonly Fault[]): string {
  const told = faults
    .slice(0, maxToldFaults)
    .map(({ file, line, message }) => (file === '' ? message : `${file}:${String(line)}: ${message}`));
  const more = faults.length - told.length;
  return [...told, ...(more > 0 ? [`and ${String(more)} more`] : [])].join('; ');
}

function paramOf(param: string | undefined): { readonly param?: string } {
  return param === undefined ? {} : { param };
}

/**
 * The text of a request's body, without its content coding.
 *
 * @throws ToolrollError `body_too_large`, `body_unreadable`
 */
async function readText(request: Request, limitBytes: number): Promise<string> {
  const body = await readBody(request, limitBytes);
  const decoded = await decodeBody(body, request.headers['content-encoding'], limitBytes);
  switch (decoded.kind) {
    case 'too_large':
      throw new ToolrollError('body_too_large', { limit: limitBytes });
    case 'unsupported':
    case 'corrupt':
      throw new ToolrollError('body_unreadable', { reason: 'its content coding is unknown or broken' });
    case 'decoded': {
      const { bytes } = decoded;
      const text = decodeUtf8(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
      if (text === undefined) throw new ToolrollError('body_unreadable', { reason: 'it is not UTF-8' });
      return text.startsWith('\uFEFF') ? text.slice(1) : text;
    }
    default:
      return decoded satisfies never;
  }
}

/** Express knows an error handler by its four parameters. */
function answerError(onFailure: SkillRoutesSettings['onFailure']): ErrorRequestHandler {
  return (error: unknown, _request, response, next) => {
    if (error instanceof ClientClosedError) return;
    if (response.headersSent) {
      next(error);
      return;
    }
    const told = error instanceof ToolrollError ? error : new ToolrollError('internal', {}, { cause: error });
    if (told !== error) onFailure(error);
    response.status(told.status).json(told.toBody());
  };
}
