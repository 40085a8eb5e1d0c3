/** A column of a table in plain text. */
export interface Column {
  readonly title: string;
  readonly align?: 'left' | 'right';
}

/**
 * Lays out a table whose columns are as wide as their widest cell.
 *
 * @param foot a last row, set apart by a rule
 */
export function renderTable(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  foot?: readonly string[],
): string {
  const titles = columns.map(({ title }) => title);
  const all = [titles, ...rows, ...(foot === undefined ? [] : [foot])];
  const widths = columns.map((_, at) => Math.max(...all.map((cells) => (cells[at] ?? '').length)));
  const line = (cells: readonly string[]): string =>
    columns
      .map(({ align }, at) => {
        const cell = cells[at] ?? '';
        const width = widths[at] ?? 0;
        return align === 'right' ? cell.padStart(width) : cell.padEnd(width);
      })
      .join('  ')
      .trimEnd();
  const rule = widths.map((width) => '─'.repeat(width)).join('──');
  return [line(titles), rule, ...rows.map(line), ...(foot === undefined ? [] : [rule, line(foot)])].join(
    '\n',
  );
}
