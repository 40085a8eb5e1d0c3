/** Tool sets of any size, the same at every call. */
import { declare, formed, oneOf, text, whole } from './tool.ts';
import type { FunctionTool } from './tool.ts';
import { commerceTools, engineeringTools, homeTools, officeTools, travelTools } from './tools/index.ts';

/** The 37 tools of the scenarios. */
export const tools: readonly FunctionTool[] = [
  ...travelTools,
  ...officeTools,
  ...commerceTools,
  ...engineeringTools,
  ...homeTools,
];

const systems = ['crm', 'erp', 'cms', 'lms', 'hr', 'iam', 'wms', 'bi', 'pim', 'scm'] as const;

const records: readonly (readonly [string, string])[] = [
  ['lead', 'a sales lead with its owner, stage and expected value'],
  ['contract', 'a signed contract with its term, parties and clauses'],
  ['asset', 'a tracked asset with its location, condition and keeper'],
  ['course', 'a training course with its modules, dates and seats'],
  ['vendor', 'a vendor with its bank details, rating and open balance'],
  ['shift', 'a work shift with its site, crew and hours'],
  ['policy', 'an access policy with its subjects, grants and expiry'],
  ['campaign', 'a marketing campaign with its audience, spend and results'],
];

const actions: readonly (readonly [string, string])[] = [
  ['archive', 'Archives'],
  ['duplicate', 'Duplicates'],
  ['approve', 'Approves'],
  ['export', 'Exports'],
  ['audit', 'Reviews the history of'],
];

/** `count` distinct tools: the 37 first, then generated ones of the same size. Up to 437. */
export function makeTools(count: number): readonly FunctionTool[] {
  const generated = Math.max(0, count - tools.length);
  const most = systems.length * records.length * actions.length;
  if (generated > most) throw new RangeError(`There are ${String(tools.length + most)} tools at most.`);
  return [...tools.slice(0, count), ...Array.from({ length: generated }, (_, at) => generate(at))];
}

/** The tool at a place of the list; neighbours differ in system, record and action. */
function generate(at: number): FunctionTool {
  const system = systems[at % systems.length] ?? 'crm';
  const round = Math.floor(at / systems.length);
  const [record, meaning] = records[(at + round) % records.length] ?? ['record', 'a record'];
  const [action, verb] = actions[Math.floor(round / records.length) % actions.length] ?? [
    'archive',
    'Archives',
  ];
  return declare({
    name: `${system}_${action}_${record}`,
    description: `${verb} ${meaning} in the ${system.toUpperCase()} system and returns the new state together with who changed it.`,
    properties: {
      [`${record}_id`]: text(`Identifier of the ${record} in the ${system.toUpperCase()} system.`),
      effective_on: formed('date', 'Day from which the change counts; at once when left out.'),
      scope: oneOf(['self', 'team', 'company'], 'Whose view of it is meant.'),
      revision: whole(1, 9999, `Revision of the ${record} that the caller has seen.`),
      comment: text('Remark for the audit trail.'),
    },
    required: [`${record}_id`],
  });
}
