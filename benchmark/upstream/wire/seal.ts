/** Stand-in for encrypted reasoning: an opaque text that is bound to its item and cannot be altered unnoticed. */
import { createHash } from 'node:crypto';

const mark = 'gAAAAA';

/** Seals a thought for the item of that id. */
export function seal(thought: string, id: string): string {
  const inner = Buffer.from(JSON.stringify({ id, thought })).toString('base64url');
  return `${mark}${digest(inner)}${inner}`;
}

/** True where the text is an unaltered seal; an item that was sent without its id is taken as its own. */
export function isSealed(text: string, id: string): boolean {
  if (!text.startsWith(mark)) return false;
  const inner = text.slice(mark.length + 43);
  if (text.slice(mark.length, mark.length + 43) !== digest(inner)) return false;
  return id === '' || Buffer.from(inner, 'base64url').toString().includes(JSON.stringify(id));
}

function digest(text: string): string {
  return createHash('sha256').update(`stand-in:${text}`).digest('base64url');
}
