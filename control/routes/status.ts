import type { Fault } from '../../proxy/config/index.ts';
import type { RulesView } from '../dependencies.ts';
import { placeOf } from '../fault-place.ts';
import type { Route } from '../route.ts';
import { component, listOf, objectOf, text, textOrNull } from '../schemas.ts';
import { adminRefusals } from './answers.ts';

export const status: Route = {
  method: 'get',
  path: '/api/status',
  group: 'state',
  access: 'admin',
  summary: 'What runs: revision, files, faults, options',
  answers: {
    200: {
      description: 'The state of the process.',
      schema: objectOf({
        version: text,
        startedAt: { type: 'string', format: 'date-time' },
        uptimeSeconds: { type: 'number' },
        draining: { type: 'boolean' },
        status: { enum: ['loading', 'ready', 'invalid'] },
        revision: textOrNull,
        loadedAt: { type: ['string', 'null'], format: 'date-time' },
        lastError: { ...textOrNull, description: 'Why the newest files do not serve; null where they do.' },
        files: listOf(
          objectOf({
            name: text,
            state: { enum: ['loaded', 'faulty'] },
            bytes: { type: ['integer', 'null'] },
            sha256: textOrNull,
            ruleSets: listOf(text),
            faults: listOf(component('Fault')),
          }),
        ),
        faults: listOf(component('Fault')),
        ruleSets: listOf(text),
        skills: { ...listOf(text), description: 'Names of the skills that serve.' },
        skillFaults: {
          ...listOf({ type: 'object' }),
          description: 'What is wrong with other skills, with a severity each: error or warning.',
        },
        options: { type: 'object', description: 'The options of the process, without secrets.' },
      }),
    },
    ...adminRefusals,
  },
  handle: ({ response, dependencies }) => {
    const { rules, settings, now, isDraining } = dependencies;
    const view = rules.view();
    response.json({
      version: settings.version,
      startedAt: new Date(settings.startedAt).toISOString(),
      uptimeSeconds: Math.max(now() - settings.startedAt, 0) / 1000,
      draining: isDraining(),
      status: view.status,
      revision: view.revision,
      loadedAt: view.loadedAt === null ? null : new Date(view.loadedAt).toISOString(),
      lastError: lastError(view.faults),
      files: fileStates(view),
      faults: view.faults,
      ruleSets: view.files.flatMap((file) => file.ruleSets),
      skills: view.skills,
      skillFaults: view.skillFaults,
      options: settings.publicOptions,
    });
  },
};

function lastError(faults: readonly Fault[]): string | null {
  const first = faults[0];
  if (first === undefined) return null;
  const more = faults.length === 1 ? '' : ` (and ${String(faults.length - 1)} more)`;
  return `${placeOf(first)}: ${first.message}${more}`;
}

/** Files that serve, and files with a fault, which may be new and so never have served. */
function fileStates(view: RulesView): readonly object[] {
  const serving = new Map(view.files.map((file) => [file.name, file]));
  const names = new Set([...serving.keys(), ...view.faults.map((fault) => fault.file)]);
  names.delete('');
  return [...names].sort().map((name) => {
    const faults = view.faults.filter((fault) => fault.file === name);
    const file = serving.get(name);
    return {
      name,
      state: faults.length > 0 ? 'faulty' : 'loaded',
      bytes: file?.bytes ?? null,
      sha256: file?.sha256 ?? null,
      ruleSets: file?.ruleSets ?? [],
      faults,
    };
  });
}
