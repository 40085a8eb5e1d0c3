export type { FallbackReason } from './fallback-reason.ts';
export type { Hop, HopKind } from './hop.ts';
export { hopChanges, showsMenu } from './hop-changes.ts';
export { HopMachine } from './machine.ts';
export { isValidCall } from './valid-call.ts';
export type { HopContext, ItemVerdict, Next, Verdict } from './machine.ts';
