/** What is measured: a way through one of the peers. */
export interface Variant {
  readonly name: VariantName;
  readonly peer: PeerName;
  /** Where it goes; undefined where it goes to its API's own path. */
  readonly path: string | undefined;
  /** What `x-toolroll-plan` says; undefined where no turn is taken. */
  readonly plan: string | undefined;
  readonly title: string;
}

/** The processes. */
export type PeerName = 'bare' | 'noRules' | 'oneHop' | 'twoHops';

/** The ways; `bare` is what the others are compared with. */
export type VariantName = 'bare' | 'passThrough' | 'otherPath' | 'oneHop' | 'twoHops';

/** The API that a request speaks. */
export type Api = 'responses' | 'chat';

/** Where turns of an API go. */
const turnPaths: Readonly<Record<Api, string>> = {
  responses: '/v1/responses',
  chat: '/v1/chat/completions',
};

/** All of them, in the order in which they take turns. */
export const variants: readonly Variant[] = [
  { name: 'bare', peer: 'bare', path: undefined, plan: undefined, title: '(a) bare Node proxy' },
  {
    name: 'passThrough',
    peer: 'noRules',
    path: undefined,
    plan: 'bypass',
    title: '(b) pass-through, no rules',
  },
  {
    name: 'otherPath',
    peer: 'noRules',
    path: '/v1/elsewhere',
    plan: undefined,
    title: '(b) pass-through, other path',
  },
  { name: 'oneHop', peer: 'oneHop', path: undefined, plan: 'direct', title: '(c) rules, one hop' },
  { name: 'twoHops', peer: 'twoHops', path: undefined, plan: 'two_hop', title: '(d) two hops' },
];

/** Where a variant's requests go at its peer. */
export function pathOf(variant: Variant, api: Api): string {
  return variant.path ?? turnPaths[api];
}
