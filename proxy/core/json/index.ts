export { applyEdits, editElements, editMembers } from './edit.ts';
export type { Edit, ElementChange, MemberChanges } from './edit.ts';
export { lastMember, scanArray, scanObject, sliceSpan, stringMembers } from './scan.ts';
export type { ArrayScan, Member, ObjectScan, Span } from './scan.ts';
export { isJsonArray, isJsonObject, parseJson, stringField } from './values.ts';
export type { JsonObject } from './values.ts';
