/** `npm run test:model -- --base-url URL`: real turns through Toolroll against any OpenAI-compatible server. */
import { runAll } from './run-all.ts';
import { help, readOptions } from './options.ts';

const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

/** Where nothing could be run. */
const notRun = 2;

try {
  const options = readOptions(process.argv.slice(2));
  if (options === 'help') print(help);
  else process.exitCode = (await runAll(options, print)) ? 0 : 1;
} catch (error) {
  process.stderr.write(`test:model: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = notRun;
}
