import { detach } from '../json/index.ts';

/** Characters of tool text to remember, and lists; apps send the same tools turn after turn. */
const MAX_CHARS = 16_000_000;
const MAX_LISTS = 64;

/** Lists of tools that were read last, by their texts. Comparing texts is many times faster than hashing them is. */
export class RememberedLists<L> {
  /** Newest first. */
  #entries: readonly { readonly texts: readonly string[]; readonly list: L }[] = [];

  /** The list that was read from these texts, while it is remembered. */
  recall(arrayTexts: readonly string[]): L | undefined {
    const index = this.#entries.findIndex(
      ({ texts }) =>
        texts.length === arrayTexts.length && texts.every((text, place) => text === arrayTexts[place]),
    );
    const entry = this.#entries[index];
    if (entry !== undefined && index > 0) {
      this.#entries = [entry, ...this.#entries.filter((other) => other !== entry)];
    }
    return entry?.list;
  }

  /** The list of these texts: the remembered one, or one that is read now from copies that keep no request alive. */
  of(arrayTexts: readonly string[], read: (texts: readonly string[]) => L): L {
    const known = this.recall(arrayTexts);
    if (known !== undefined) return known;
    const texts = arrayTexts.map(detach);
    const list = read(texts);
    let chars = 0;
    this.#entries = [{ texts, list }, ...this.#entries]
      .slice(0, MAX_LISTS)
      .filter((entry) => (chars += charsOf(entry.texts)) <= MAX_CHARS);
    return list;
  }
}

function charsOf(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + text.length, 0);
}
