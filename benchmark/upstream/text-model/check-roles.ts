/** Refuses conversations that the chat template of such a model cannot put into words. */
import { invalid } from '../api-error.ts';
import type { ApiError } from '../api-error.ts';
import type { HistoryEntry } from '../brain/index.ts';
import type { TextTraits } from './traits.ts';

/** Throws an {@link ApiError} about calls and outputs in the history, and about roles that do not take turns. */
export function checkRoles(history: readonly HistoryEntry[], { strict }: TextTraits): void {
  let last: string | undefined;
  for (const [at, entry] of history.entries()) {
    if (entry.kind !== 'message') {
      const what = entry.kind === 'call' ? 'tool calls' : "the role 'tool'";
      throw refused(`This model's chat template knows no ${what}.`);
    }
    if (entry.role === 'system' || entry.role === 'developer') {
      if (strict && at > 0) throw refused('System role must be at the beginning, and there is one at most.');
      continue;
    }
    const opening = last === undefined && strict && entry.role !== 'user';
    if (opening || entry.role === last) {
      throw refused('Conversation roles must alternate user/assistant/user/assistant/...');
    }
    last = entry.role;
  }
}

function refused(message: string): ApiError {
  return invalid(null, null, message);
}
