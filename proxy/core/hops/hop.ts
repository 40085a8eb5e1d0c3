import type { FallbackReason } from './fallback-reason.ts';
import type { CarriedItem } from '../turn/index.ts';

/**
 * What a hop is for.
 *
 * - `select`: the menu is shown for the first time
 * - `reselect`: the menu again, after picks that named nothing known
 * - `answer`: no menu; what the model says is the answer (the picks are shown, or everything was from the start)
 * - `fallback`: every tool shown, since selection went wrong
 */
export type HopKind = 'select' | 'reselect' | 'answer' | 'fallback';

/** One call to the upstream, as the machine wants it. */
export interface Hop {
  readonly kind: HopKind;
  /** Keys of rolled-up tools that this hop shows in full. */
  readonly revealed: ReadonlySet<string>;
  readonly carried: readonly CarriedItem[];
  /** Why this hop falls back, where it does. */
  readonly fallback?: FallbackReason;
}
