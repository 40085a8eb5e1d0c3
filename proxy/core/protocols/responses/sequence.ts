import { isJsonObject, parseJson } from '../../json/index.ts';

/** `sequence_number` of the app's stream: the upstream's own as long as its events pass as they are, then our own. */
export class Sequence {
  #next = 0;
  /** The event that passed last; its number is read only when one of ours follows. */
  #passed: { readonly data: string } | undefined;

  /** An event went on as it came. */
  pass(event: { readonly data: string }): void {
    this.#next += 1;
    this.#passed = event;
  }

  /** The number of an event of ours. */
  take(): number {
    const last = this.#passed === undefined ? undefined : numberOf(this.#passed.data);
    if (last !== undefined) this.#next = last + 1;
    this.#passed = undefined;
    this.#next += 1;
    return this.#next - 1;
  }
}

function numberOf(data: string): number | undefined {
  const event = parseJson(data);
  const number = isJsonObject(event) ? event['sequence_number'] : undefined;
  return typeof number === 'number' && Number.isSafeInteger(number) ? number : undefined;
}
