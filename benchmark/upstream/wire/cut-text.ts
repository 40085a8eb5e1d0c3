/** The pieces in which a stream brings a text. */

/** Characters in one delta, where nothing else is asked for. */
const usualLength = 12;

/** Deltas of one text, as far as deltas of 32 Ki characters allow. */
const mostDeltas = 500;

/** Cuts a text into pieces, longer ones where there would be too many; never inside a character. */
export function cutText(text: string, pieceLength = usualLength): readonly string[] {
  const length = Math.max(pieceLength, Math.min(32_768, Math.ceil(text.length / mostDeltas)));
  const pieces: string[] = [];
  let at = 0;
  while (at < text.length) {
    const inside = /[\ud800-\udbff]/.test(text.charAt(at + length - 1));
    const end = at + length + (inside ? 1 : 0);
    pieces.push(text.slice(at, end));
    at = end;
  }
  return pieces;
}
