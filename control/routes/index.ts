import type { Route } from '../route.ts';
import { apply } from './apply.ts';
import { audit } from './audit.ts';
import { docsAsset, docsPage, openApiRoute } from './docs.ts';
import { liveness, readiness } from './health.ts';
import { metrics } from './metrics.ts';
import { reload } from './reload.ts';
import { getRules, putRules } from './rules.ts';
import { status } from './status.ts';
import { validate } from './validate.ts';

/** Every route of the control listener. A fixed path stands before one with a parameter that would match it too. */
export const routes: readonly Route[] = [
  getRules,
  putRules,
  reload,
  validate,
  apply,
  audit,
  status,
  metrics,
  liveness,
  readiness,
  docsPage,
  openApiRoute(() => routes),
  docsAsset,
];
