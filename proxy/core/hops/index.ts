export type { FallbackReason } from './fallback-reason.ts';
export type { Hop, HopKind } from './hop.ts';
export { hopChanges, showsMenu } from './hop-changes.ts';
export { HopMachine } from './machine.ts';
export type { ItemVerdict, Verdict } from './machine.ts';
export type { HopContext, Next } from './next-hop.ts';
export { isValidCall } from './valid-call.ts';
