import type { Plan } from '../core/plan/index.ts';
import type { NameMaps } from '../core/protocols/index.ts';
import type { Turn } from '../core/turn/index.ts';

/** How the upstream's names become the app's in this turn. */
export function nameMapsOf(turn: Turn, plan: Plan): NameMaps {
  return {
    backward: plan.applied.backward,
    isDeclared: (key) => turn.toolList.tools.some((tool) => tool.key === key),
  };
}
