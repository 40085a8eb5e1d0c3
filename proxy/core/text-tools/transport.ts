import type { Protocol } from '../turn/index.ts';
import { CallDesk } from './answer-reader.ts';
import type { Attempt } from './answer-reader.ts';
import { encodeChatRequest } from './chat-request.ts';
import { decodeChatResponse } from './chat-response.ts';
import { createChatStream } from './chat-stream.ts';
import { NO_OFFER } from './offered-tools.ts';
import type { TextRequest, TextToolsSettings } from './request-edits.ts';
import { encodeResponsesRequest } from './responses-request.ts';
import { decodeResponsesAnswer } from './responses-response.ts';
import type { Echo } from './responses-response.ts';
import { createResponsesStream } from './responses-stream.ts';
import type { TextStream } from './text-stream.ts';

/** What one hop's transport needs to know. */
export interface TextTransportOptions {
  readonly protocol: Protocol;
  readonly settings: TextToolsSettings;
  /** `last`: nobody asks again, so a call that would be rejected stays text. */
  readonly attempt: Attempt;
  /** Fresh unique ids (randomness is the caller's): 24 hexadecimal digits. */
  readonly newId: () => string;
  /** Names that are no tools of this hop and yet mean something (rolled-up tools): calls of them pass unjudged. */
  readonly knownNames?: ReadonlySet<string>;
}

/**
 * What text tools do to one hop, on the wire: neither the adapter before it nor the model behind it knows of the other's way.
 * `encodeRequest` is called first, since it reads the tools that the hop offers. Where it offers none, answers pass as they are.
 */
export interface TextTransport {
  /** The protocol's native body, without native tools: they are described in words, and past calls become text. */
  encodeRequest(nativeBody: string): string;
  /** The upstream's JSON answer as a native one: calls in its text become calls. What is no answer comes back as it is. */
  decodeResponse(answer: string): string;
  /** The same for a stream of events; one stream per hop. */
  createStream(): TextStream;
  /** Calls that must not run, by the call id that they were given, with what to tell the model. Filled as the answer is read. */
  readonly rejections: ReadonlyMap<string, string>;
  /** Calls, begun at least, that could not be read and were left as text, so far. */
  readonly unreadable: number;
}

/** Opens the transport of one hop. */
export function createTextTransport(options: TextTransportOptions): TextTransport {
  return new HopTransport(options);
}

interface WireForm {
  readonly encode: (body: string, settings: TextToolsSettings) => TextRequest;
  readonly decode: (answer: string, desk: CallDesk, echo: Echo) => string;
  readonly open: (desk: CallDesk, echo: Echo) => TextStream;
}

const WIRE_FORMS: Readonly<Record<Protocol, WireForm>> = {
  chat: { encode: encodeChatRequest, decode: decodeChatResponse, open: createChatStream },
  responses: { encode: encodeResponsesRequest, decode: decodeResponsesAnswer, open: createResponsesStream },
};

class HopTransport implements TextTransport {
  readonly #form: WireForm;
  readonly #settings: TextToolsSettings;
  readonly #desk: CallDesk;
  #echo: Echo = {};

  constructor({ protocol, settings, attempt, newId, knownNames }: TextTransportOptions) {
    this.#form = WIRE_FORMS[protocol];
    this.#settings = settings;
    this.#desk = new CallDesk(NO_OFFER, {
      format: settings.format,
      attempt,
      newId,
      knownNames: knownNames ?? new Set(),
    });
  }

  get rejections(): ReadonlyMap<string, string> {
    return this.#desk.rejections;
  }

  get unreadable(): number {
    return this.#desk.unreadable;
  }

  encodeRequest(nativeBody: string): string {
    const { body, offer, echo } = this.#form.encode(nativeBody, this.#settings);
    this.#desk.offer = offer;
    this.#echo = echo;
    return body;
  }

  decodeResponse(answer: string): string {
    return this.#form.decode(answer, this.#desk, this.#echo);
  }

  createStream(): TextStream {
    return this.#form.open(this.#desk, this.#echo);
  }
}
