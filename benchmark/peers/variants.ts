/** What is measured: a way through one of the peers. */
export interface Variant {
  readonly name: VariantName;
  readonly peer: PeerName;
  readonly path: string;
  /** What `x-toolroll-plan` says; undefined where no turn is taken. */
  readonly plan: string | undefined;
  readonly title: string;
}

/** The processes. */
export type PeerName = 'bare' | 'noRules' | 'oneHop' | 'twoHops';

/** The ways; `bare` is what the others are compared with. */
export type VariantName = 'bare' | 'passThrough' | 'otherPath' | 'oneHop' | 'twoHops';

const TURNS = '/v1/responses';

/** All of them, in the order in which they take turns. */
export const variants: readonly Variant[] = [
  { name: 'bare', peer: 'bare', path: TURNS, plan: undefined, title: '(a) bare Node proxy' },
  { name: 'passThrough', peer: 'noRules', path: TURNS, plan: 'bypass', title: '(b) pass-through, no rules' },
  {
    name: 'otherPath',
    peer: 'noRules',
    path: '/v1/elsewhere',
    plan: undefined,
    title: '(b) pass-through, other path',
  },
  { name: 'oneHop', peer: 'oneHop', path: TURNS, plan: 'direct', title: '(c) rules, one hop' },
  { name: 'twoHops', peer: 'twoHops', path: TURNS, plan: 'two_hop', title: '(d) two hops' },
];
