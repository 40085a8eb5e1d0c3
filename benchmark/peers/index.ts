export { checkVariant } from './check-variant.ts';
export { manyRules } from './rule-files.ts';
export { startPeers } from './start-peers.ts';
export type { Peers, Programs } from './start-peers.ts';
export { turnBody } from './turn-body.ts';
export type { Format } from './turn-body.ts';
export { pathOf, variants } from './variants.ts';
export type { Api, PeerName, Variant, VariantName } from './variants.ts';
