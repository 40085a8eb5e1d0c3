/** `npm run upstream -- --port 9101`: the stand-in alone, until it is told to stop. */
import { parseArgs } from 'node:util';
import { faultModes } from './faults/index.ts';
import { startUpstream } from './index.ts';

const help = `The stand-in upstream: behaves like a model behind /v1/responses and
/v1/chat/completions.

  --port N     port on 127.0.0.1 (default 9101; 0 picks a free one)
  --host H     address to listen on (default 127.0.0.1)
  --fault F    faults of every request, as in the header x-stand-in-fault:
               mode;key=value, mode;…
  --log        print a line for every request

Models whose names begin with text- have no tools of their own: what they are
told of tools in a system text they call in their text.
  text-…         <tool_call>{"name":…,"arguments":…}</tool_call>
  text-json-…    a fenced JSON object, whatever they are told
  text-strict-…  one system message only, first (also text-json-strict-…)

Fault modes and their keys (each also takes hop=1|2, round=n and attempt=n):
${Object.entries(faultModes)
  .map(([mode, keys]) => `  ${mode.padEnd(18)} ${keys}`)
  .join('\n')}
`;

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '9101' },
    host: { type: 'string', default: '127.0.0.1' },
    fault: { type: 'string' },
    log: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

if (values.help) {
  process.stdout.write(help);
} else {
  const upstream = await startUpstream({
    port: Number(values.port),
    host: values.host,
    ...(values.fault === undefined ? {} : { fault: values.fault }),
    logLimit: 0,
    ...(values.log ? { onAnswered: printRequest } : {}),
  });
  process.stdout.write(`stand-in upstream listening on ${upstream.url}\n`);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void upstream.close());
}

function printRequest(request: { method: string; path: string; status: number; outcome: string }): void {
  process.stdout.write(`${request.method} ${request.path} ${String(request.status)} ${request.outcome}\n`);
}
