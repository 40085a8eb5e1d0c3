/** A delta of a call inside a chunk. */
export interface ChunkCall {
  /** The index of its item in the hop. */
  readonly index: number;
  /** Its place in `tool_calls` of that chunk. */
  readonly at: number;
  /** The `index` that the upstream gave it. */
  readonly wireIndex: number | undefined;
  readonly name: string | undefined;
}

/** A chunk of a completion. `text` is the frame, `data` the JSON in it. */
export interface ChatChunk {
  readonly kind: 'chunk';
  readonly text: string;
  readonly data: string;
  /** The items of the first choice that it has parts of. */
  readonly items: readonly number[];
  readonly calls: readonly ChunkCall[];
  readonly hasRole: boolean;
  /** The first choice's `finish_reason`, if it has one. */
  readonly finish: string | undefined;
  readonly usage: 'none' | 'null' | 'given';
  /** Where among `choices` the first choice stands. */
  readonly main: number | undefined;
  /** True if it speaks of further choices. */
  readonly hasOthers: boolean;
  /** Where in the frame's bytes a member `usage` of `null` stands; only for a chunk that was not read. */
  readonly cut?: ByteRange | undefined;
}

export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** What a frame is to the encoder. */
export type ChatFrame =
  | ChatChunk
  /** `[DONE]` */
  | { readonly kind: 'done' }
  /** The stream is over; no event of the upstream. */
  | { readonly kind: 'end' }
  | { readonly kind: 'error' }
  /** Comments, retry times, what is no JSON. */
  | { readonly kind: 'other' };

/** A frame with the bytes it came in. */
export interface Framed<W extends ChatFrame = ChatFrame> {
  readonly raw: Uint8Array;
  readonly wire: W;
}
