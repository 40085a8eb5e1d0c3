import type { FallbackReason } from './fallback-reason.ts';
import type { CarriedItem } from '../turn/index.ts';

/**
 * What a hop is for; a label for records and metrics.
 *
 * - `select`: the menu is shown for the first time
 * - `reselect`: the menu again, after picks that named nothing known
 * - `answer`: no menu; what the model says is the answer (the picks are shown, or everything was from the start)
 * - `skill`: the model asked for a skill, and now has it (or is told that there is none)
 * - `retry`: a call that was written as text cannot run; the model is told why
 * - `fallback`: every tool shown, since selection went wrong
 */
export type HopKind = 'select' | 'reselect' | 'answer' | 'skill' | 'retry' | 'fallback';

/** One call to the upstream, as the machine wants it. */
export interface Hop {
  readonly kind: HopKind;
  /** `menu`: the rolled-up tools stand in a menu. `revealed`: those of `revealed` are shown, no menu. `all`: every tool. */
  readonly tools: 'menu' | 'revealed' | 'all';
  /** Keys of rolled-up tools that this hop shows in full. */
  readonly revealed: ReadonlySet<string>;
  /** What of earlier hops this one has to see. */
  readonly carried: readonly CarriedItem[];
  /** Names of the skills that the model asked for in this turn. */
  readonly skills: readonly string[];
  /** Whether the model may ask for (more) skills. */
  readonly skillTool: 'offered' | 'withdrawn';
  /** `last`: a call written as text that cannot run stays text; nobody asks again. */
  readonly attempt: 'more_follow' | 'last';
  /** Why this hop falls back, where it does. */
  readonly fallback?: FallbackReason;
}
