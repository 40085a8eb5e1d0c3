import { ToolrollError } from '../errors.ts';

const LF = 10;
const CR = 13;
/** More than one event can be: a terminal event holds the whole answer, images included. */
const MAX_FRAME_BYTES = 256 * 1024 * 1024;

/**
 * Splits a stream of server-sent events into frames. Each ends with the blank line that ends an event (or a comment), and
 * all of them joined are the stream, byte for byte.
 *
 * Works on bytes, so that a chunk edge inside a character or a line end does no harm; no byte is copied twice. Lines end
 * with LF, CRLF or CR, as the standard allows.
 */
export class SseSplitter {
  readonly #maxFrameBytes: number;
  #parts: Uint8Array[] = [];
  #pendingBytes = 0;
  /** Bytes of the current line that came in earlier chunks. */
  #lineBytes = 0;
  /** The last byte was a CR, so a LF now belongs to the same line end. */
  #afterCr = false;

  constructor(maxFrameBytes = MAX_FRAME_BYTES) {
    this.#maxFrameBytes = maxFrameBytes;
  }

  /**
   * Takes a chunk and gives the frames that it completes.
   *
   * @throws ToolrollError `upstream_malformed` if one event is larger than any answer may be
   */
  push(chunk: Uint8Array): Uint8Array[] {
    const frames: Uint8Array[] = [];
    const nextLineEnd = lineEndFinder(chunk);
    let frameStart = 0;
    let lineStart = 0;
    for (let end = nextLineEnd(0); end !== -1; end = nextLineEnd(lineStart)) {
      const continuesCr = this.#afterCr && chunk[end] === LF && end === lineStart;
      const isBlank = !continuesCr && this.#lineBytes === 0 && end === lineStart;
      const isCr = chunk[end] === CR;
      lineStart = isCr && chunk[end + 1] === LF ? end + 2 : end + 1;
      this.#afterCr = isCr && lineStart === end + 1;
      this.#lineBytes = 0;
      if (!isBlank) continue;
      frames.push(this.#take(chunk.subarray(frameStart, lineStart)));
      frameStart = lineStart;
    }
    if (lineStart < chunk.length) this.#afterCr = false;
    this.#lineBytes += chunk.length - lineStart;
    this.#keep(chunk.subarray(frameStart));
    if (this.#pendingBytes > this.#maxFrameBytes) {
      throw new ToolrollError('upstream_malformed', { reason: 'an event of its stream has no end' });
    }
    return frames;
  }

  /** What is left when the stream has ended: an event without its blank line, or nothing. */
  flush(): Uint8Array | undefined {
    return this.#pendingBytes === 0 ? undefined : this.#take(new Uint8Array(0));
  }

  #keep(rest: Uint8Array): void {
    if (rest.length === 0) return;
    this.#parts.push(rest);
    this.#pendingBytes += rest.length;
  }

  #take(end: Uint8Array): Uint8Array {
    if (this.#parts.length === 0) return end;
    const frame = new Uint8Array(this.#pendingBytes + end.length);
    let at = 0;
    for (const part of [...this.#parts, end]) {
      frame.set(part, at);
      at += part.length;
    }
    this.#parts = [];
    this.#pendingBytes = 0;
    return frame;
  }
}

/** `indexOf` is the engine's own search; most streams hold no CR at all, and then it is looked for once. */
function lineEndFinder(chunk: Uint8Array): (from: number) => number {
  let cr = chunk.indexOf(CR);
  return (from) => {
    const lf = chunk.indexOf(LF, from);
    if (cr !== -1 && cr < from) cr = chunk.indexOf(CR, from);
    if (cr === -1) return lf;
    return lf === -1 ? cr : Math.min(lf, cr);
  };
}
