import js from '@eslint/js';
import boundaries from 'eslint-plugin-boundaries';
import tseslint from 'typescript-eslint';

/** Rooms of the house: a folder with one door, `index.ts`. Imports run one way only. */
const coreRooms = [
  'errors',
  'turn',
  'protocols',
  'sse',
  'rules',
  'tokens',
  'json',
  'select',
  'plan',
  'meta-tools',
  'text-tools',
  'hops',
];

export default tseslint.config(
  { ignores: ['dist/', 'coverage/', 'schemas/generated/', '.cache/'] },
  js.configs.recommended,
  ...tseslint.configs.strictTypeChecked,
  {
    files: ['**/*.ts'],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
  },
);
