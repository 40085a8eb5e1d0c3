import type { RouteAnswer, RouteBody } from '../route.ts';
import { component } from '../schemas.ts';

/** The documented answer for an error of the catalogue. */
export function refusal(description: string): RouteAnswer {
  return { description, schema: component('Error') };
}

/** What every route behind the key may answer. */
export const adminRefusals: Readonly<Record<number, RouteAnswer>> = {
  401: refusal('No admin key, or a wrong one.'),
  403: refusal('No admin key is set and the caller is not on loopback, or a page of another origin asks.'),
};

/** What every route that reads a body may answer. */
export const bodyRefusals: Readonly<Record<number, RouteAnswer>> = {
  400: refusal('The body or a parameter cannot be read.'),
  413: refusal('The body is too large.'),
  415: refusal('The content type is not accepted.'),
};

const RULES_LIMIT_BYTES = 5 * 1024 * 1024;

/** A rule file as a body. */
export const rulesBody: RouteBody = {
  accepts: ['application/yaml', 'application/json', 'application/x-yaml', 'text/yaml', 'text/x-yaml'],
  limitBytes: () => RULES_LIMIT_BYTES,
  description: 'One rule file, YAML (several documents separated by --- are welcome) or JSON.',
  schema: component('RuleSet'),
};
