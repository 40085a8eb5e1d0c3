import { readFileSync } from 'node:fs';
import { describeOptions } from '../../../proxy/config/index.ts';

const readme = readFileSync('README.md', 'utf8');

/** The rows of the options table, cell by cell. */
function optionRows(): string[][] {
  return readme
    .split('\n')
    .filter((line) => /^\| `[A-Z_]+`\s+\|/.test(line))
    .map((line) =>
      line
        .split(/(?<!\\)\|/)
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}

describe('the README', () => {
  it('lists every option of the schema, in its order, with flag, default and description', () => {
    const expected = describeOptions().map((option) => [
      `\`${option.env}\``,
      `\`${option.flag}\``,
      option.default === undefined ? 'none' : `\`${String(option.default)}\``,
      option.description.replaceAll('*', '\\*'),
    ]);
    expect(optionRows().map((row) => row.map((cell) => cell.replaceAll('\\*', '*')))).toEqual(
      expected.map((row) => row.map((cell) => cell.replaceAll('\\*', '*'))),
    );
  });
});
