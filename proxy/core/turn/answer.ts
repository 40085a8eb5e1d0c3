/** One item of an upstream's answer, in the terms of the hop machine. */
export type AnswerItem =
  | {
      readonly kind: 'call';
      /** The name the upstream used. */
      readonly name: string;
      readonly namespace: string | undefined;
      /** `namespace.name`, or the name alone where there is none or it repeats the name. */
      readonly key: string;
      /** Arguments as text; for a custom tool its input. Empty while they are still streaming. */
      readonly arguments: string;
      readonly callId: string;
      /** A free-text tool's call. */
      readonly custom: boolean;
    }
  | { readonly kind: 'message' | 'reasoning' | 'other' };

/** Token counts of one hop, as far as the upstream gave them. */
export interface Usage {
  readonly inputTokens: number;
  readonly cachedTokens: number;
  readonly outputTokens: number;
}

/** How an answer ended. */
export type AnswerStatus = 'completed' | 'incomplete' | 'failed';
