const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * A JSON string that comes in pieces: what stands between its quotes, as it was written. Pieces of a stream are a few bytes each
 * in a frame of some hundred, so they are copied, and no frame is kept alive for one.
 */
export class StringBytes {
  #bytes = new Uint8Array(0);
  #length = 0;

  /** @param piece of a JSON string, without quotes, its escapes as they are */
  add(piece: Uint8Array): void {
    const length = this.#length + piece.length;
    if (length > this.#bytes.length) {
      const grown = new Uint8Array(Math.max(256, 2 * length));
      grown.set(this.#bytes.subarray(0, this.#length));
      this.#bytes = grown;
    }
    this.#bytes.set(piece, this.#length);
    this.#length = length;
  }

  /** A piece that has been read. */
  addText(text: string): void {
    this.add(encoder.encode(JSON.stringify(text).slice(1, -1)));
  }

  /** The JSON string of all pieces. */
  toJson(): string {
    const inner = decoder.decode(this.#bytes.subarray(0, this.#length));
    const json = `"${inner}"`;
    return isJsonString(json) ? json : JSON.stringify(inner);
  }

  /** What the string says. */
  toText(): string {
    const value: unknown = JSON.parse(this.toJson());
    return String(value);
  }

  get isEmpty(): boolean {
    return this.#length === 0;
  }
}

/** Pieces that were let through unread can be no JSON. */
function isJsonString(json: string): boolean {
  try {
    return typeof JSON.parse(json) === 'string';
  } catch {
    return false;
  }
}
