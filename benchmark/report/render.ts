/** The results as text. */
import { variants } from '../peers/index.ts';
import type { Format, Variant } from '../peers/index.ts';
import { findingsOf } from './findings.ts';
import { cpuLimits } from './limits.ts';
import type { CpuResult } from './measure-cpu.ts';
import type { ProfileSummary } from './profile.ts';
import { isWell } from './results.ts';
import type { BenchResults, Finding } from './results.ts';
import { renderTable } from '../table/index.ts';
import type { Column } from '../table/index.ts';

const right = (title: string): Column => ({ title, align: 'right' });

/** Both tables. */
export function renderResults(results: BenchResults): string {
  const { node, processors } = results;
  return [
    `Node ${node} on ${String(processors.length)} × ${processors[0] ?? 'unknown processor'}`,
    '',
    "CPU time of the proxy per request of the app; '×' is against (a), in the same round, the median of all rounds",
    renderCpu(results.cpu),
    '',
    renderFindings(findingsOf(results)),
  ].join('\n');
}

function renderCpu(cpu: CpuResult): string {
  const columns: readonly Column[] = [
    right('tools'),
    { title: 'proxy' },
    right('JSON µs'),
    right('×'),
    right('limit'),
    { title: '' },
    right('SSE µs'),
    right('×'),
    right('limit'),
    { title: '' },
  ];
  const counts = [...new Set(cpu.cells.map(({ tools }) => tools))];
  const rows = counts.flatMap((tools) =>
    variants.map((variant) => [
      String(tools),
      variant.title,
      ...cpuCells(cpu, variant, { tools, format: 'json' }),
      ...cpuCells(cpu, variant, { tools, format: 'sse' }),
    ]),
  );
  return renderTable(columns, rows);
}

function cpuCells(
  { cells }: CpuResult,
  { name }: Variant,
  { tools, format }: { readonly tools: number; readonly format: Format },
): readonly string[] {
  const cell = cells.find((one) => one.variant === name && one.format === format && one.tools === tools);
  if (cell === undefined) return ['', '', '', ''];
  const limit = cpuLimits[name]?.[format];
  const verdict = limit === undefined ? '' : verdictOf(cell.ratio <= limit);
  return [
    cell.micros.toFixed(0),
    cell.ratio.toFixed(2),
    limit === undefined ? '' : `≤ ${String(limit)}`,
    verdict,
  ];
}

function renderFindings(findings: readonly Finding[]): string {
  const rows = findings.map((finding) => [
    finding.what,
    spell(finding.value, finding.unit),
    finding.limit === undefined ? '' : `≤ ${spell(finding.limit, finding.unit)}`,
    finding.limit === undefined ? '' : verdictOf(isWell(finding)),
  ]);
  return renderTable([{ title: 'also' }, right('value'), right('limit'), { title: '' }], rows);
}

function spell(value: number, unit: Finding['unit']): string {
  switch (unit) {
    case 'times':
      return `${value.toFixed(2)} ×`;
    case 'ms':
      return `${value.toFixed(2)} ms`;
    case 'µs':
      return `${value.toFixed(2)} µs`;
    case 'percent':
      return `${value.toFixed(1)} %`;
    default:
      return unit satisfies never;
  }
}

function verdictOf(well: boolean): string {
  return well ? 'ok' : 'MISSED';
}

/** Where the time goes, a list for each profile. */
export function renderProfiles(summaries: readonly ProfileSummary[]): string {
  return summaries
    .map(({ title, file, functions }) =>
      [
        `${title}: ${file}`,
        ...functions.map(({ name, percent }) => `  ${percent.toFixed(1).padStart(5)} %  ${name}`),
      ].join('\n'),
    )
    .join('\n\n');
}
