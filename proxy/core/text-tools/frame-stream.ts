import { SseSplitter, wholeFrame } from '../sse/index.ts';
import type { TextStream } from './text-stream.ts';

/** What is done to each event, and at the end. */
export interface FrameHandler {
  readonly frame: (raw: Uint8Array, text: string) => readonly Uint8Array[];
  readonly end: () => readonly Uint8Array[];
}

/** Hands a stream to its handler event by event. Characters are decoded by whole events, so that no cut can break one. */
export class FrameStream implements TextStream {
  readonly #splitter = new SseSplitter();
  readonly #decoder = new TextDecoder();
  readonly #handler: FrameHandler;

  constructor(handler: FrameHandler) {
    this.#handler = handler;
  }

  push(chunk: Uint8Array): readonly Uint8Array[] {
    return this.#splitter
      .push(chunk)
      .flatMap((frame) => this.#handler.frame(frame, this.#decoder.decode(frame)));
  }

  /** An event without its blank line is one where its data is whole; else it goes on behind what was held, as it came. */
  flush(): readonly Uint8Array[] {
    const rest = this.#splitter.flush();
    if (rest === undefined) return this.#handler.end();
    const ended = wholeFrame(rest);
    const out = this.#handler.frame(ended, this.#decoder.decode(ended));
    const isUntouched = out.length === 1 && out[0] === ended;
    return isUntouched ? [...this.#handler.end(), rest] : [...out, ...this.#handler.end()];
  }
}
