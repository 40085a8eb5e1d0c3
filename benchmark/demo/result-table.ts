/** The demo's one table. */
import { renderTable } from '../table/index.ts';
import type { Column } from '../table/index.ts';
import { showFailure } from './compare-question.ts';
import type { Comparison } from './compare-question.ts';

const columns: readonly Column[] = [
  { title: 'question' },
  { title: 'tool called' },
  { title: 'direct', align: 'right' },
  { title: 'Toolroll', align: 'right' },
  { title: 'hops', align: 'right' },
  { title: 'saved', align: 'right' },
  { title: 'JSON' },
  { title: 'stream' },
];

const QUESTION_CHARS = 52;

/** The table with its totals line. Tokens are input tokens, of all hops together. */
export function renderComparisons(comparisons: readonly Comparison[]): string {
  const direct = sum(comparisons, (one) => one.directTokens);
  const through = sum(comparisons, (one) => one.throughTokens);
  const same = (outcomes: readonly Comparison['json'][]): string =>
    `${String(outcomes.filter(({ kind }) => kind === 'same').length)} same`;
  return renderTable(columns, comparisons.map(row), [
    `${String(comparisons.length)} turns`,
    '',
    count(direct),
    count(through),
    count(sum(comparisons, (one) => one.hops)),
    percent(direct, through),
    same(comparisons.map(({ json }) => json)),
    same(comparisons.map(({ stream }) => stream)),
  ]);
}

/** One line for each comparison that is not as it should be. */
export function renderFailures(comparisons: readonly Comparison[]): readonly string[] {
  return comparisons.flatMap((one) => {
    const failure = showFailure(one);
    return failure === undefined ? [] : [`FAILED "${one.question}": ${failure}`];
  });
}

function row(one: Comparison): readonly string[] {
  const { question } = one;
  return [
    question.length > QUESTION_CHARS ? `${question.slice(0, QUESTION_CHARS - 1)}…` : question,
    one.tool,
    count(one.directTokens),
    count(one.throughTokens),
    count(one.hops),
    percent(one.directTokens, one.throughTokens),
    one.json.kind,
    one.stream.kind,
  ];
}

function sum(comparisons: readonly Comparison[], of: (one: Comparison) => number): number {
  return comparisons.reduce((total, one) => total + of(one), 0);
}

function count(value: number): string {
  return Number.isFinite(value) ? value.toLocaleString('en-US') : '-';
}

function percent(direct: number, through: number): string {
  const saved = ((direct - through) / direct) * 100;
  return Number.isFinite(saved) ? `${saved.toFixed(1)} %` : '-';
}
