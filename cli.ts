#!/usr/bin/env node
import { readFileSync } from 'node:fs';

import { CommanderError } from 'commander';

import { createProgram } from './control/cli/index.ts';
import { startToolroll } from './proxy/main.ts';
import type { Toolroll } from './proxy/main.ts';
import type { Options } from './schemas/generated/options.ts';

const manifest: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const version =
  typeof manifest === 'object' && manifest !== null && 'version' in manifest ? String(manifest.version) : '0';

async function serve(options: Options): Promise<void> {
  const running: { toolroll?: Toolroll } = {};
  let stopping = false;
  const stop = (): void => {
    // Before the start is over nothing is lost; a second signal means now.
    if (running.toolroll === undefined || stopping) process.exit(stopping ? 1 : 0);
    stopping = true;
    void running.toolroll.close().then(() => process.exit(0));
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  running.toolroll = await startToolroll({ options, environment: process.env, version });
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
  // The command line's own errors have been said.
  if (!(error instanceof CommanderError)) {
    console.error(`toolroll cannot start: ${error instanceof Error ? error.message : String(error)}`);
    process.exitCode = 1;
  }
}
