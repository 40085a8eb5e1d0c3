import { Command, Option } from 'commander';

import { describeOptions, loadOptions } from '../../proxy/config/index.ts';
import type { OptionDescription } from '../../proxy/config/index.ts';
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

/** The exit code of a wrong command line or environment. */
const USAGE = 2;

/** Makes the `toolroll` command. Flags, environment and help all come from the options schema. */
export function createProgram(commands: Commands, surroundings: CliSurroundings): Command {
  const program = new Command('toolroll')
    .description('Keeps the tools of a request rolled up and opens the few that a turn needs.')
    .version(surroundings.version)
    .configureOutput({
      writeErr: (text) => {
        surroundings.complain(text.trimEnd());
      },
    })
    .exitOverride((error) => {
      surroundings.exit(error.exitCode === 0 ? 0 : USAGE);
      throw error;
    });
  const serve = new Command('serve')
    .description('run the proxy and its control listener')
    .copyInheritedSettings(program);
  for (const option of describeOptions()) serve.addOption(flagOf(option));
  serve.action(async () => {
    const loaded = loadOptions({
      flags: serve.opts<Record<string, string | undefined>>(),
      environment: surroundings.environment,
    });
    if (loaded.options === undefined) {
      for (const { source, message } of loaded.faults) surroundings.complain(`${source}: ${message}`);
      surroundings.exit(USAGE);
      return;
    }
    await commands.serve(loaded.options);
  });
  return program.addCommand(serve);
}

function flagOf(option: OptionDescription): Option {
  const details = [`env: ${option.env}`];
  if (option.choices !== undefined) details.push(`one of ${option.choices.join(', ')}`);
  if (option.default !== undefined) details.push(`default: ${String(option.default)}`);
  return new Option(
    `${option.flag} <${placeholder(option)}>`,
    `${option.description} (${details.join('; ')})`,
  );
}

function placeholder({ format, kind, flag, choices }: OptionDescription): string {
  if (format !== undefined) return format === 'listen' ? 'host:port' : 'url';
  if (kind === 'number') return /-(seconds|bytes)$/.exec(flag)?.[1] ?? 'number';
  return choices === undefined ? 'text' : 'choice';
}
