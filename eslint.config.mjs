import js from '@eslint/js';
import boundaries from 'eslint-plugin-boundaries';
import tseslint from 'typescript-eslint';

/** The rooms of the house. A room is a folder with one door, its `index.ts`; imports run one way only. */
const elements = [
  { type: 'schemas', pattern: 'schemas/generated' },
  { type: 'core', pattern: 'proxy/core/*', capture: ['room'] },
  { type: 'config', pattern: 'proxy/config' },
  { type: 'upstream', pattern: 'proxy/upstream' },
  { type: 'telemetry', pattern: 'proxy/telemetry' },
  { type: 'server', pattern: 'proxy/server' },
  { type: 'cli', pattern: 'control/cli' },
  { type: 'control', pattern: 'control' },
  { type: 'benchmark', pattern: 'benchmark/*', capture: ['room'] },
  { type: 'test', pattern: 'test' },
];
/** Files that stand in no room. */
const files = [
  { category: 'errors', pattern: 'proxy/core/errors.ts' },
  { category: 'main', pattern: 'proxy/main.ts' },
  { category: 'entry', pattern: ['cli.ts', 'benchmark/main.ts'] },
];

const edge = ['config', 'upstream', 'telemetry'];
const isFile = (name) => files.some(({ category }) => category === name);
const select = (names) =>
  names.map((name) => (isFile(name) ? { file: { categories: name } } : { element: { types: name } }));
const allow = (from, to) => ({ from: select(from), allow: { to: select(to) } });

export default tseslint.config(
  { ignores: ['dist/', 'coverage/', 'schemas/generated/', '.cache/'] },
  js.configs.recommended,
  { files: ['**/*.mjs'], languageOptions: { globals: { process: 'readonly', console: 'readonly' } } },
  {
    files: ['**/*.ts'],
    extends: [...tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreVoidOperator: true }],
      'max-lines': ['error', { max: 300, skipBlankLines: true, skipComments: true }],
      'max-lines-per-function': ['error', { max: 60, skipBlankLines: true, skipComments: true }],
      'max-params': ['error', 4],
      eqeqeq: ['error', 'always', { null: 'ignore' }],
    },
  },
  {
    files: ['**/*.ts'],
    plugins: { boundaries },
    settings: {
      'boundaries/elements': elements,
      'boundaries/files': files,
      'import/resolver': { typescript: { project: 'tsconfig.json' } },
    },
    rules: {
      'boundaries/dependencies': [
        'error',
        {
          default: 'disallow',
          policies: [
            allow(['errors', 'core'], ['schemas', 'errors', 'core']),
            allow(edge, ['schemas', 'errors', 'core', 'config', 'upstream', 'telemetry']),
            allow(['server'], ['schemas', 'errors', 'core', ...edge]),
            allow(['control', 'cli'], ['schemas', 'errors', 'core', ...edge, 'server', 'control']),
            allow(['main'], ['schemas', 'errors', 'core', ...edge, 'server', 'control']),
            allow(['entry'], ['schemas', 'cli', 'main', 'config', 'benchmark']),
            allow(['benchmark'], ['schemas', 'core', 'benchmark', 'main', 'config']),
            allow(['test'], [...elements.map(({ type }) => type), 'errors', 'main', 'entry']),
          ],
        },
      ],
    },
  },
  {
    // One door: what another room imports comes through its index.
    files: ['proxy/**/*.ts', 'control/**/*.ts', 'cli.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              regex:
                '^(\\.\\./)+((proxy/)?core/)?(config|upstream|telemetry|server|turn|sse|rules|tokens|json|select|plan|meta-tools|text-tools|hops)/(?!index\\.ts$)',
              message: "Import another room through its door, 'index.ts'.",
            },
          ],
        },
      ],
    },
  },
  {
    // The core takes values and gives values: no IO, no clock, no randomness.
    files: ['proxy/core/**/*.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            { regex: '^node:', message: 'The core is pure: pass values in.' },
            {
              regex:
                '^(\\.\\./)+(turn|sse|rules|tokens|json|select|plan|meta-tools|text-tools|hops)/(?!index\\.ts$)',
              message: "Import another room through its door, 'index.ts'.",
            },
          ],
        },
      ],
      'no-restricted-globals': [
        'error',
        'process',
        'Buffer',
        'setTimeout',
        'setInterval',
        'performance',
        'crypto',
      ],
      'no-restricted-properties': [
        'error',
        { object: 'Date', property: 'now' },
        { object: 'Math', property: 'random' },
      ],
    },
  },
  {
    files: ['test/**/*.ts'],
    rules: {
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/unbound-method': 'off',
      'max-lines': 'off',
      'max-lines-per-function': 'off',
    },
  },
);
