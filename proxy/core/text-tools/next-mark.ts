/**
 * Finds which of several marks stands next in a text. The engine's own search looks for each, and past no place twice, so that
 * a text full of what only begins like a mark costs no more than any other.
 */
export class NextMark {
  readonly #marks: readonly string[];
  /** Where each mark stands next, in the text that was searched last; its length where none follows. */
  readonly #places: number[];
  #text = '';
  #from = 0;

  constructor(marks: readonly string[]) {
    this.#marks = marks;
    this.#places = marks.map(() => -1);
  }

  /** The place of the first mark at or after `from`; the text's length where none follows. */
  after(text: string, from: number): number {
    if (text !== this.#text || from < this.#from) {
      this.#text = text;
      this.#places.fill(-1);
    }
    this.#from = from;
    let first = text.length;
    for (let index = 0; index < this.#marks.length; index += 1) {
      let place = this.#places[index] ?? -1;
      if (place < from) {
        const found = text.indexOf(this.#marks[index] ?? '', from);
        place = found === -1 ? text.length : found;
        this.#places[index] = place;
      }
      if (place < first) first = place;
    }
    return first;
  }
}
