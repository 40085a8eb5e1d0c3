import { joinContents, joinValues } from './join-values.ts';
import { StringBytes } from './string-bytes.ts';

/** The members of a message that come in deltas: texts and lists add up, of anything else the last counts. */
export class StreamedMembers {
  readonly #texts = new Map<string, StringBytes>();
  readonly #values = new Map<string, string>();

  /** @param valueText gives the value's own JSON text; asked only for what is no string */
  add(key: string, value: unknown, valueText: () => string): void {
    if (typeof value === 'string') this.text(key).addText(value);
    else this.#values.set(key, joinValues(this.#values.get(key), valueText()) ?? 'null');
  }

  text(key: string): StringBytes {
    let text = this.#texts.get(key);
    if (text === undefined) {
      text = new StringBytes();
      this.#texts.set(key, text);
    }
    return text;
  }

  /** The object of those members that `isKept` takes, as JSON text. */
  toJson(isKept: (key: string) => boolean): string {
    const keys = new Set([...this.#texts.keys(), ...this.#values.keys()]);
    const members = [...keys].filter(isKept).map((key) => {
      const value = joinContents(this.#texts.get(key)?.toJson(), this.#values.get(key));
      return `${JSON.stringify(key)}:${value ?? 'null'}`;
    });
    return `{${members.join(',')}}`;
  }
}
