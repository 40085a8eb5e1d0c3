export { applyEdits, editElements, editMembers } from './edit.ts';
export type { Edit, ElementChange, MemberChanges } from './edit.ts';
export { RecentValues } from './recent-values.ts';
export { endsAt, lastMember, scanArray, scanObject, sliceSpan, stringMembers } from './scan.ts';
export type { ArrayScan, KnownValues, Member, ObjectScan, ScanOptions, Span } from './scan.ts';
export { detach, isJsonArray, isJsonObject, parseJson, stringField } from './values.ts';
export type { JsonObject } from './values.ts';
