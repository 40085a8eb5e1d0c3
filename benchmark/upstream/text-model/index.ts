/** Models that have no tools of their own: told of them in words, they call them in words. */
import type { BrainRequest } from '../brain/index.ts';
import { checkRoles } from './check-roles.ts';
import { readHistory } from './read-history.ts';
import { readTools } from './read-tools.ts';
import type { TextTraits } from './traits.ts';

export { traitsOf } from './traits.ts';
export type { TextTraits } from './traits.ts';
export { isSlip, slips, writeCalls } from './write-calls.ts';

/** Letters in one delta of such a model: few, so that a tag comes in pieces. */
export const lettersPerDelta = 5;

/**
 * The request as such a model takes it: the tools sent with it are dropped without a word, those of the system text
 * are in sight. Throws an `ApiError` where its template takes no such conversation.
 */
export function askInText(
  request: BrainRequest,
  traits: TextTraits,
): { readonly brain: BrainRequest; readonly rejected: number } {
  checkRoles(request.history, traits);
  const told = readTools(request.history, traits);
  const { history, rejected } = readHistory(request.history, told.tools);
  return { brain: { ...request, ...told, history }, rejected };
}
