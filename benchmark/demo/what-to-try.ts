import { join } from 'node:path';
import type { Toolroll } from '../../proxy/main.ts';

/** What someone can look at and do while the demo is up. */
export function describeWhatToTry({ proxyUrl, controlUrl }: Toolroll, rulesDirectory: string): string {
  const file = join(rulesDirectory, 'default.yaml');
  return [
    'Pages:',
    `  ${controlUrl}/docs                 the control API, to be tried in the browser`,
    `  ${controlUrl}/metrics              what Prometheus would collect: toolroll_tokens_saved_total and more`,
    `  ${controlUrl}/api/status           the rules that serve, file by file`,
    `  ${controlUrl}/api/audit?limit=3    the last turns: plan, reasons, hops, tokens`,
    '',
    'Change a rule and watch it take effect here, without a restart:',
    `  sed -i.bak 's/strategy: two_hop/strategy: off/' ${file}`,
    '      a line here names the new revision, as does /api/status; turns now take one hop',
    `  echo 'spec: { mod: on }' >> ${file}`,
    '      refused with file, line and pointer; the revision before it goes on serving, /api/status says why',
    `  cp ${file}.bak ${file}`,
    '      as it was',
    '',
    'Point an app of your own at it:',
    `  export OPENAI_BASE_URL=${proxyUrl}/v1 OPENAI_API_KEY=demo`,
    '',
    'Ctrl-C ends the demo.',
  ].join('\n');
}
