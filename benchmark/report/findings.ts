/** The numbers that have limits, besides the CPU table. */
import { variants } from '../peers/index.ts';
import type { VariantName } from '../peers/index.ts';
import {
  addedLatencyLimitMs,
  chatLimit,
  deltaLimitMicros,
  lookAlikeLimit,
  manyToolsLimit,
  reloadBlockLimitMs,
  rssLimit,
  skillsLoadLimitMs,
  soakLimit,
  tokenLimit,
} from './limits.ts';
import type { BenchResults, Finding } from './results.ts';

/** All findings of a run, in the order in which they are told. */
export function findingsOf(results: BenchResults): readonly Finding[] {
  return [
    ...manyTools(results),
    ...chatAgainstResponses(results),
    ...latency(results),
    ...memory(results),
    ...reload(results),
    ...textAndSkills(results),
    {
      what: 'input tokens over both hops against direct, 37 tools',
      value: (results.tokens.through / results.tokens.direct) * 100,
      limit: tokenLimit * 100,
      unit: 'percent',
    },
  ];
}

function manyTools({ cpu }: BenchResults): readonly Finding[] {
  return cpu.cells.flatMap((cell): readonly Finding[] => {
    if (cell.tools !== 200 || cell.variant === 'bare') return [];
    const fewer = cpu.cells.find(
      (other) => other.variant === cell.variant && other.format === cell.format && other.tools === 37,
    );
    if (fewer === undefined) return [];
    return [
      {
        what: `CPU ratio with 200 tools against 37: ${titleOf(cell.variant)}, ${cell.format}`,
        value: cell.ratio / fewer.ratio,
        limit: manyToolsLimit,
        unit: 'times',
      },
    ];
  });
}

/** In time per request: a chat answer echoes no tools, so the bare proxy has less to carry, too. */
function chatAgainstResponses({ cpu, chat }: BenchResults): readonly Finding[] {
  return chat.cells.flatMap((cell): readonly Finding[] => {
    const same = cpu.cells.find(
      ({ variant, format, tools }) =>
        variant === cell.variant && format === cell.format && tools === cell.tools,
    );
    if (same === undefined) return [];
    return [
      {
        what: `CPU time of chat against responses: ${titleOf(cell.variant)}, ${cell.format}, ${String(cell.tools)} tools`,
        value: cell.micros / same.micros,
        limit: cell.variant === 'bare' ? undefined : chatLimit,
        unit: 'times',
      },
    ];
  });
}

function latency(results: BenchResults): readonly Finding[] {
  return results.latency.map(({ variant, format, addedPerHopMs }) => ({
    what: `added p50 per hop: ${titleOf(variant)}, ${format}`,
    value: addedPerHopMs,
    limit: variant === 'bare' ? undefined : addedLatencyLimitMs,
    unit: 'ms',
  }));
}

function memory({ cpu: { rssBytes }, soak }: BenchResults): readonly Finding[] {
  const peers = [
    ['noRules', 'pass-through'],
    ['oneHop', 'rules, one hop'],
    ['twoHops', 'two hops'],
  ] as const;
  const found = peers.map(([peer, title]): Finding => ({
    what: `RSS under load against ${toMebibytes(rssBytes.bare)}: ${title}, ${toMebibytes(rssBytes[peer])}`,
    value: rssBytes[peer] / rssBytes.bare,
    limit: rssLimit,
    unit: 'times',
  }));
  if (soak === undefined) return found;
  const what = `RSS at the end of ${String(soak.requests)} turns against the beginning`;
  return [...found, { what, value: soak.growth, limit: soakLimit, unit: 'times' }];
}

function reload({ reload: { reloads, oneFile, tenFiles, quiet } }: BenchResults): readonly Finding[] {
  const worst = `the worst of ${String(reloads)}`;
  const what = 'event loop blocked by a reload of 200 rules';
  return [
    { what: `${what} in one file, ${worst}`, value: oneFile.worstMs, limit: reloadBlockLimitMs, unit: 'ms' },
    {
      what: `${what} in one file, the median`,
      value: oneFile.medianMs,
      limit: reloadBlockLimitMs,
      unit: 'ms',
    },
    {
      what: `${what} in ten files, ${worst}`,
      value: tenFiles.worstMs,
      limit: reloadBlockLimitMs,
      unit: 'ms',
    },
    {
      what: `${what} in ten files, the median`,
      value: tenFiles.medianMs,
      limit: reloadBlockLimitMs,
      unit: 'ms',
    },
    {
      what: `event loop blocked without a reload, ${worst}`,
      value: quiet.worstMs,
      limit: undefined,
      unit: 'ms',
    },
  ];
}

function textAndSkills({ text, skills }: BenchResults): readonly Finding[] {
  return [
    {
      what: 'reading calls out of text, per delta of 4 characters',
      value: text.microsPerDelta,
      limit: deltaLimitMicros,
      unit: 'µs',
    },
    {
      what: 'the same per byte for 1 MB of beginnings of calls, against plain text',
      value: text.lookAlikeRatio,
      limit: lookAlikeLimit,
      unit: 'times',
    },
    { what: 'loading 1,000 skills of 4 kB', value: skills.loadMs, limit: skillsLoadLimitMs, unit: 'ms' },
    {
      what: 'looking for skills in a request of 37 tools, where a rule set offers them',
      value: skills.microsPerRequest,
      limit: undefined,
      unit: 'µs',
    },
  ];
}

function titleOf(name: VariantName): string {
  return variants.find((variant) => variant.name === name)?.title ?? name;
}

function toMebibytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(0)} MiB`;
}
