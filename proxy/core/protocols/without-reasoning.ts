import { applyEdits, editMembers, lastMember, scanObject, sliceSpan } from '../json/index.ts';
import type { ObjectScan } from '../json/index.ts';
import type { RequestChanges } from '../turn/index.ts';

/**
 * The members of a request that turn thinking off.
 *
 * @param effortOff what says so where the upstream is of the `effort` kind
 */
export function withoutReasoning(
  { text, scan }: { readonly text: string; readonly scan: ObjectScan },
  reasoning: RequestChanges['reasoning'],
  effortOff: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  switch (reasoning) {
    case 'keep':
      return {};
    case 'effort':
      return effortOff;
    case 'enable_thinking':
      return { enable_thinking: 'false' };
    case 'chat_template_kwargs':
      return {
        chat_template_kwargs: mergedInto({ text, scan }, 'chat_template_kwargs', {
          enable_thinking: 'false',
        }),
      };
    default:
      return reasoning satisfies never;
  }
}

/** The object of that member with more in it; an object of its own where the app sent none. */
export function mergedInto(
  { text, scan }: { readonly text: string; readonly scan: ObjectScan },
  key: string,
  members: Readonly<Record<string, string>>,
): string {
  const sent = lastMember(scan, key);
  const own = sent === undefined ? '' : sliceSpan(text, sent.value);
  const base = own.startsWith('{') ? own : '{}';
  return applyEdits(base, editMembers(base, scanObject(base), members));
}
