/** Reads a request body whole, decoded where it was compressed. */
import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import * as zlib from 'node:zlib';
import { ApiError } from './api-error.ts';

const decoders: Readonly<Record<string, (data: Buffer) => Promise<Buffer>>> = {
  gzip: promisify<Buffer, Buffer>(zlib.gunzip),
  deflate: promisify<Buffer, Buffer>(zlib.inflate),
  br: promisify<Buffer, Buffer>(zlib.brotliDecompress),
};

/** The body as text. Throws a 400 about an encoding that it cannot read. */
export async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  // A request without an encoding set gives buffers; the stream's own type says less.
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const encoding = request.headers['content-encoding'] ?? 'identity';
  const data = Buffer.concat(chunks);
  if (encoding === 'identity') return data.toString('utf8');
  const decode = decoders[encoding];
  if (decode === undefined) {
    throw new ApiError({ status: 415, message: `Unsupported content encoding: '${encoding}'.` });
  }
  try {
    return (await decode(data)).toString('utf8');
  } catch {
    throw new ApiError({ status: 400, message: `The body is no valid ${encoding} data.` });
  }
}
