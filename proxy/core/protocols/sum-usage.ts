import { isJsonObject } from '../json/index.ts';
import type { JsonObject } from '../json/index.ts';

/** Real usage objects have two levels; an upstream that lies gets no deep recursion out of us. */
const MAX_USAGE_DEPTH = 4;

/** Adds up token counts of all hops, field by field, however many fields a server has. */
export function sumUsage(usages: readonly JsonObject[], depth = 0): JsonObject {
  const total: Record<string, unknown> = {};
  for (const usage of usages) {
    for (const [key, value] of Object.entries(usage)) {
      if (key === '__proto__') continue;
      const before = total[key];
      if (typeof value === 'number' && typeof before === 'number') total[key] = before + value;
      else if (isJsonObject(value) && isJsonObject(before) && depth < MAX_USAGE_DEPTH) {
        total[key] = sumUsage([before, value], depth + 1);
      } else if (value !== null || before === undefined) total[key] = value;
    }
  }
  return total;
}

/** A token count of the wire; what is no count is none. */
export function tokenCount(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : 0;
}
