import { Command, Option } from 'commander';

import { describeOptions, loadOptions } from '../../proxy/config/index.ts';
import type { Options } from '../../schemas/generated/options.ts';

/** What the command line can start. */
export interface Commands {
  readonly serve: (options: Options) => Promise<void>;
}

/** Where the command line reads and writes. */
export interface CliSurroundings {
  readonly version: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly complain: (line: string) => void;
  /** Called with 2 where the command line or the environment is wrong. */
  readonly exit: (code: number) => void;
}

/** Makes the `toolroll` command. Flags, environment and help all come from the options schema. */
export function createProgram(commands: Commands, surroundings: CliSurroundings): Command {
  const program = new Command('toolroll')
    .description('Keeps the tools of a request rolled up and opens the few that a turn needs.')
    .version(surroundings.version);
  const serve = new Command('serve').description('run the proxy and its control listener');
  for (const option of describeOptions()) {
    const fallback = option.default === undefined ? '' : `, default: ${String(option.default)}`;
    serve.addOption(
      new Option(`${option.flag} <value>`, `${option.description} (env: ${option.env}${fallback})`),
    );
  }
  serve.action(async () => {
    const loaded = loadOptions({
      flags: serve.opts<Record<string, string | undefined>>(),
      environment: surroundings.environment,
    });
    if (loaded.options === undefined) {
      for (const { source, message } of loaded.faults) surroundings.complain(`${source}: ${message}`);
      surroundings.exit(2);
      return;
    }
    await commands.serve(loaded.options);
  });
  return program.addCommand(serve);
}
