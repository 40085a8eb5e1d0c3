/** The demo: everything on the loopback, real turns both ways, one table, then pages to open. */
import OpenAI from 'openai';
import { loadOptions } from '../../proxy/config/index.ts';
import { startToolroll } from '../../proxy/main.ts';
import type { Toolroll } from '../../proxy/main.ts';
import { questions, tools } from '../scenarios/index.ts';
import { startUpstream } from '../upstream/index.ts';
import { compareQuestion } from './compare-question.ts';
import type { Comparison } from './compare-question.ts';
import { createReloadLog } from './reload-log.ts';
import { renderComparisons, renderFailures } from './result-table.ts';
import { copySampleRules } from './rules-copy.ts';
import { describeWhatToTry } from './what-to-try.ts';

/** How the demo is run. */
export interface DemoOptions {
  /** Any folder of the package: the sample rules are found from there. */
  readonly packageFolder: string;
  /** Takes one line or several. */
  readonly print: (text: string) => void;
  /** The demo stays up until this fires; fired already, it ends after the table. */
  readonly until: AbortSignal;
  /** Ports on 127.0.0.1; 0 (the default) picks free ones. */
  readonly proxyPort?: number;
  readonly controlPort?: number;
  /** Faults of the stand-in upstream, to see the table when a model misbehaves. */
  readonly fault?: string;
}

/**
 * Runs the demo and cleans up behind it.
 *
 * @returns true if every turn through Toolroll gave what direct gives
 * @throws the system's error where a port cannot be had
 */
export async function runDemo(options: DemoOptions): Promise<boolean> {
  const rules = await copySampleRules(options.packageFolder);
  const upstream = await startUpstream(options.fault === undefined ? {} : { fault: options.fault });
  try {
    const { log, showReloads } = createReloadLog(options.print);
    const toolroll = await startToolroll({
      options: toolrollOptions(options, { upstreamUrl: upstream.url, rulesDir: rules.directory }),
      environment: {},
      version: 'demo',
      log,
    });
    try {
      const comparisons = await askAll(options, upstream.url, toolroll);
      const failures = renderFailures(comparisons);
      options.print(['', renderComparisons(comparisons), '', ...failures].join('\n'));
      if (!options.until.aborted) {
        options.print(describeWhatToTry(toolroll, rules.directory));
        showReloads();
        await fired(options.until);
      }
      return failures.length === 0;
    } finally {
      await toolroll.close();
    }
  } finally {
    await upstream.close();
    await rules.remove();
  }
}

function toolrollOptions(
  { proxyPort = 0, controlPort = 0 }: DemoOptions,
  { upstreamUrl, rulesDir }: { upstreamUrl: string; rulesDir: string },
) {
  const loaded = loadOptions({
    flags: {
      upstreamBaseUrl: upstreamUrl,
      rulesDir,
      proxyListen: `127.0.0.1:${String(proxyPort)}`,
      controlListen: `127.0.0.1:${String(controlPort)}`,
      configPollSeconds: '1',
      drainSeconds: '1',
    },
    environment: {},
  });
  if (loaded.options !== undefined) return loaded.options;
  throw new Error(loaded.faults.map(({ source, message }) => `${source} ${message}`).join('; '));
}

async function askAll(
  { print }: DemoOptions,
  upstreamUrl: string,
  toolroll: Toolroll,
): Promise<readonly Comparison[]> {
  print(
    [
      `stand-in model  ${upstreamUrl}`,
      `proxy           ${toolroll.proxyUrl}/v1`,
      `control         ${toolroll.controlUrl}`,
      '',
      `Asking ${String(questions.length)} questions with ${String(tools.length)} tools, as JSON and as a stream, direct and through Toolroll.`,
    ].join('\n'),
  );
  const clients = { direct: clientOf(upstreamUrl), through: clientOf(`${toolroll.proxyUrl}/v1`) };
  const comparisons: Comparison[] = [];
  for (const question of questions) comparisons.push(await compareQuestion(clients, tools, question));
  return comparisons;
}

/** No retries: a failure must be seen. */
function clientOf(baseURL: string): OpenAI {
  return new OpenAI({ baseURL, apiKey: 'demo', maxRetries: 0 });
}

async function fired(signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else {
      signal.addEventListener('abort', () => {
        resolve();
      });
    }
  });
}
