import { isJsonObject, parseJson, scanObject, sliceSpan } from '../core/json/index.ts';
import type { JsonObject } from '../core/json/index.ts';
import type { ProtocolAdapter } from '../core/protocols/index.ts';
import type { Turn, Usage } from '../core/turn/index.ts';

/** The usage stands near the end of an answer, before `user` and `metadata`. */
const TAIL_BYTES = 32_768;

type UsageReader = Pick<ProtocolAdapter<Turn>, 'readUsage'>;

/** Keeps the end of an answer that passes by, to count its tokens without reading the rest. */
export class UsageTail {
  readonly #encoded: boolean;
  readonly #adapter: UsageReader;
  #chunks: Uint8Array[] = [];
  #size = 0;

  /** @param contentEncoding an encoded answer cannot be read in passing */
  constructor(contentEncoding: string | undefined, adapter: UsageReader) {
    this.#adapter = adapter;
    this.#encoded = contentEncoding !== undefined && contentEncoding !== 'identity';
  }

  push(chunk: Uint8Array): void {
    if (this.#encoded) return;
    this.#chunks.push(chunk);
    this.#size += chunk.byteLength;
    while (this.#size - (this.#chunks[0]?.byteLength ?? 0) >= TAIL_BYTES) {
      this.#size -= this.#chunks.shift()?.byteLength ?? 0;
    }
  }

  /** The last `usage` object that counts input tokens; unescaped quotes make it a key, never text of the model. */
  read(): Usage | undefined {
    const bytes = Buffer.concat(this.#chunks);
    for (let at = bytes.lastIndexOf(KEY); at !== -1; at = at === 0 ? -1 : bytes.lastIndexOf(KEY, at - 1)) {
      const usage = readUsageAt(bytes, at);
      if (usage !== undefined) return this.#adapter.readUsage(usage);
    }
    return undefined;
  }
}

const KEY = '"usage"';
/** More than any usage object has. */
const MAX_USAGE_BYTES = 4096;

function readUsageAt(bytes: Buffer, at: number): JsonObject | undefined {
  const text = bytes.toString('utf8', at, at + MAX_USAGE_BYTES);
  const open = /^"usage"\s*:\s*(?=\{)/.exec(text);
  if (open === null) return undefined;
  const value = parseObjectAt(text, open[0].length);
  const counts = value !== undefined && ('input_tokens' in value || 'prompt_tokens' in value);
  return counts ? value : undefined;
}

function parseObjectAt(text: string, start: number): JsonObject | undefined {
  try {
    const { span } = scanObject(text, start);
    const value = parseJson(sliceSpan(text, span));
    return isJsonObject(value) ? value : undefined;
  } catch (error) {
    // The object is cut off by the end of what was kept.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
