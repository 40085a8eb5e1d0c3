import type { JsonObject } from '../json/index.ts';
import type { ItemVerdict } from '../hops/index.ts';
import type {
  AnswerItem,
  AnswerStatus,
  DecodedRequest,
  Protocol,
  RequestChanges,
  Turn,
  Usage,
} from '../turn/index.ts';

/**
 * One API as a turn meets it: six directions, none of which knows about hops, rules or HTTP.
 *
 * @typeParam T the protocol's own view of a turn
 */
export interface ProtocolAdapter<T extends Turn> {
  readonly protocol: Protocol;
  decodeRequest(text: string): DecodedRequest<T>;
  encodeRequest(turn: T, changes: RequestChanges): string;
  /** `undefined` if the text is no answer of this API. */
  decodeResponse(text: string): DecodedResponse | undefined;
  encodeResponse(response: DecodedResponse, rewrite: ResponseRewrite): string;
  createStreamDecoder(): StreamDecoder;
  createStreamEncoder(turn: T, names: NameMaps): StreamEncoder;
  /** What the app sent in the fields that the upstream echoes, where a hop changed them. */
  echoOf(turn: T, changes: RequestChanges): Echo;
  readUsage(usage: JsonObject): Usage;
}

/** Values (JSON text) of fields that an answer repeats from the request, by field. */
export type Echo = Readonly<Record<string, string>>;

/** How names of the upstream become names of the app. */
export interface NameMaps {
  /** App names by the key that the upstream knows. */
  readonly backward: ReadonlyMap<string, string>;
  /** True for keys of tools that the app declared itself; their namespaces are real. */
  readonly isDeclared: (key: string) => boolean;
}

/** One item of an answer. */
export interface DecodedItem {
  readonly item: AnswerItem;
  readonly text: string;
}

/** A whole answer that came as JSON. */
export interface DecodedResponse {
  readonly text: string;
  readonly items: readonly DecodedItem[];
  readonly status: AnswerStatus;
  readonly usage: JsonObject | undefined;
}

/** How a JSON answer becomes the app's. */
export interface ResponseRewrite {
  /** Indexes of its items that the app gets. */
  readonly shown: ReadonlySet<number>;
  /** Items of earlier hops that go before them. */
  readonly earlier: readonly DecodedItem[];
  readonly echo: Echo;
  readonly names: NameMaps;
  /** The usage of all hops, where it is not the answer's own; several hops are summed. */
  readonly usage: readonly JsonObject[];
  /** Words of ours that end the answer's text. */
  readonly appended: string | undefined;
}

/** What a piece of a stream tells the hop machine. */
export type Signal =
  /** The upstream's own error inside the stream; the app gets it. */
  | { readonly kind: 'errored' }
  | { readonly kind: 'opened'; readonly index: number; readonly item: AnswerItem }
  | { readonly kind: 'closed'; readonly index: number; readonly item: AnswerItem; readonly text: string }
  | { readonly kind: 'ended'; readonly status: AnswerStatus; readonly usage: JsonObject | undefined };

/** One frame of a stream, with what it tells, in order; `wire` is the adapter's own view of it. An end is told last. */
export interface StreamFrame {
  readonly raw: Uint8Array;
  readonly signals: readonly Signal[];
  readonly wire: unknown;
}

export interface StreamDecoder {
  /** @throws ToolrollError `upstream_malformed` if one event is larger than any answer may be */
  push(chunk: Uint8Array): Iterable<StreamFrame>;
  /** The last frame, if the stream ended inside one. */
  flush(): StreamFrame[];
}

/** What goes to the app. */
export type StreamOutput = readonly (string | Uint8Array)[];

/** What an encoder is told before a hop's frames come. */
export interface StreamedHop {
  readonly echo: Echo;
  /** `live`: the frames are the answer, as far as can be known, and are given out at once. */
  readonly mode: 'held' | 'live';
  /** Words of ours that end the answer's text, if this hop is the answer. */
  readonly appended: string | undefined;
}

/** Joins the streams of a turn's hops into the one that the app gets. */
export interface StreamEncoder {
  /** True once anything but comments has been given out. */
  readonly isOpen: boolean;
  /** Another hop's frames follow. */
  beginHop(hop: StreamedHop): void;
  push(frame: StreamFrame, verdicts: readonly ItemVerdict[]): StreamOutput;
  /** The hop ended without an answer: what was held and is to be shown goes out, the rest is dropped. */
  endHop(verdicts: readonly ItemVerdict[]): StreamOutput;
  /** The frame that ends the answer. */
  finish(frame: StreamFrame, verdicts: readonly ItemVerdict[], usage: readonly JsonObject[]): StreamOutput;
  /** The answer cannot go on. */
  fail(error: { readonly type: string; readonly code: string; readonly message: string }): StreamOutput;
}
