/**
 * One decision about ESM: sources and the few ESM-only packages are transformed to CommonJS for Jest,
 * so no VM-modules flag is needed and mocks behave. Node itself runs the real ESM build.
 */
const swc = [
  '@swc/jest',
  {
    jsc: { target: 'es2023', parser: { syntax: 'typescript' } },
    module: { type: 'commonjs' },
  },
];

export default {
  testEnvironment: 'node',
  roots: ['<rootDir>/test'],
  testMatch: ['**/*.test.ts'],
  transform: { '\\.(ts|mjs|js)$': swc },
  transformIgnorePatterns: [
    '/node_modules/(?!(chokidar|readdirp|https-proxy-agent|agent-base|proxy-agent-negotiate|@cfworker/json-schema|eventsource-parser|fast-check|pure-rand)/)',
  ],
  testTimeout: 30_000,
  // Two workers: the suites start real servers, and more of them than cores only makes them wait.
  maxWorkers: 2,
};
