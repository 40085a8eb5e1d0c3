import type { Request } from 'express';
import { ToolrollError } from '../proxy/core/errors.ts';
import type { RouteBody } from './route.ts';

/**
 * Reads a request's body whole.
 *
 * @throws ToolrollError `unsupported_media_type`, `document_too_large` or `body_unreadable`
 */
export async function readDocument(
  request: Request,
  accepts: RouteBody['accepts'],
  limitBytes: number,
): Promise<Uint8Array> {
  requireContentType(request, accepts);
  const tooLarge = (): ToolrollError => new ToolrollError('document_too_large', { limit: limitBytes });
  if (Number(request.headers['content-length'] ?? 0) > limitBytes) throw tooLarge();
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    // Not destroyed on the way out: a client that is still sending shall be able to read the refusal.
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      if (!(chunk instanceof Uint8Array)) throw new TypeError('a body chunk is not bytes');
      length += chunk.byteLength;
      if (length > limitBytes) throw tooLarge();
      chunks.push(chunk);
    }
  } catch (error) {
    // What still comes is read and thrown away, or the connection would stay half used for ever.
    request.resume();
    if (error instanceof ToolrollError) throw error;
    throw new ToolrollError('body_unreadable', { reason: 'it ended early' }, { cause: error });
  }
  return Buffer.concat(chunks);
}

/** A form or a plain text, which any page may post unasked, is not among what is accepted. */
function requireContentType(request: Request, accepts: readonly string[]): void {
  const contentType = request.headers['content-type']?.split(';')[0]?.trim().toLowerCase() ?? '';
  const encoding = request.headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (!accepts.includes(contentType) || encoding !== 'identity') {
    throw new ToolrollError('unsupported_media_type', {
      contentType: contentType === '' ? '(none)' : contentType,
      accepted: `${accepts.join(', ')}, without a content encoding`,
    });
  }
}

/**
 * The body as text.
 *
 * @throws ToolrollError `body_unreadable` where the bytes are not UTF-8
 */
export function textOf(body: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch (error) {
    throw new ToolrollError('body_unreadable', { reason: 'it is not valid UTF-8' }, { cause: error });
  }
}
