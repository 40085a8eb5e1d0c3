/** An answer's stream of events on its way to being native. */
export interface TextStream {
  /** @throws ToolrollError `upstream_malformed` if one event is larger than any answer may be */
  push(chunk: Uint8Array): readonly Uint8Array[];
  /** The stream has ended: nothing is held any longer. */
  flush(): readonly Uint8Array[];
}
