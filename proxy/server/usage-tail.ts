import { isJsonObject, parseJson, scanObject } from '../core/json/index.ts';
import { responsesAdapter } from '../core/protocols/index.ts';
import type { Usage } from '../core/turn/index.ts';

/** The usage stands near the end of an answer, before `user` and `metadata`. */
const TAIL_BYTES = 32_768;

/** Keeps the end of an answer that passes by, to count its tokens without reading the rest. */
export class UsageTail {
  readonly #encoded: boolean;
  #chunks: Uint8Array[] = [];
  #size = 0;

  /** @param contentEncoding an encoded answer cannot be read in passing */
  constructor(contentEncoding: string | undefined) {
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
    const text = Buffer.concat(this.#chunks).toString('utf8');
    for (
      let at = text.lastIndexOf('"usage"');
      at !== -1;
      at = at === 0 ? -1 : text.lastIndexOf('"usage"', at - 1)
    ) {
      const open = /^"usage"\s*:\s*(?=\{)/.exec(text.slice(at, at + 64));
      if (open === null) continue;
      const start = at + open[0].length;
      const value = parseObject(text, start);
      if (value !== undefined && 'input_tokens' in value) return responsesAdapter.readUsage(value);
    }
    return undefined;
  }
}

function parseObject(text: string, start: number): Readonly<Record<string, unknown>> | undefined {
  const { span } = scanObject(text, start);
  const value = parseJson(text.slice(span.start, span.end));
  return isJsonObject(value) ? value : undefined;
}
