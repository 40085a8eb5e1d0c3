#!/usr/bin/env node
import { readFileSync } from 'node:fs';

import { createProgram } from './control/cli/index.ts';
import { startToolroll } from './proxy/main.ts';
import type { Options } from './schemas/generated/options.ts';

const manifest: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const version =
  typeof manifest === 'object' && manifest !== null && 'version' in manifest ? String(manifest.version) : '0';

async function serve(options: Options): Promise<void> {
  const toolroll = await startToolroll({ options, environment: process.env, version });
  let stopping = false;
  const stop = (): void => {
    // A second signal means now.
    if (stopping) process.exit(1);
    stopping = true;
    void toolroll.close().then(() => process.exit(0));
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}

const program = createProgram(
  { serve },
  {
    version,
    environment: process.env,
    complain: (line) => {
      console.error(line);
    },
    exit: (code) => {
      process.exitCode = code;
    },
  },
);

try {
  await program.parseAsync();
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
