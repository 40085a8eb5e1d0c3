/** `npm start`: the demo. `-- --once` ends it after the table. */
import { parseArgs } from 'node:util';
import { runDemo } from './index.ts';

const help = `The demo: a stand-in model, the proxy and control on the loopback, real turns, one table.

  --once             end after the table instead of staying up until Ctrl-C
  --proxy-port N     port of the proxy on 127.0.0.1 (default 0: a free one)
  --control-port N   port of control on 127.0.0.1 (default 0: a free one)
  --fault F          faults of the stand-in model, as in \`npm run upstream -- --help\`
`;

const { values } = parseArgs({
  options: {
    once: { type: 'boolean', default: false },
    'proxy-port': { type: 'string', default: '0' },
    'control-port': { type: 'string', default: '0' },
    fault: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

if (values.help) {
  process.stdout.write(help);
} else {
  const stop = new AbortController();
  if (values.once) stop.abort();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      stop.abort();
    });
  }
  const allSame = await runDemo({
    packageFolder: import.meta.dirname,
    print: (text) => process.stdout.write(`${text}\n`),
    until: stop.signal,
    proxyPort: Number(values['proxy-port']),
    controlPort: Number(values['control-port']),
    ...(values.fault === undefined ? {} : { fault: values.fault }),
  });
  process.exitCode = allSame ? 0 : 1;
}
