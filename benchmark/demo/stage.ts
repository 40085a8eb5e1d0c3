/** Everything that the demo needs, on the loopback: a stand-in model, Toolroll before it, and a client for each. */
import OpenAI from 'openai';
import { loadOptions } from '../../proxy/config/index.ts';
import { startToolroll } from '../../proxy/main.ts';
import type { Toolroll } from '../../proxy/main.ts';
import { questions, tools } from '../scenarios/index.ts';
import { startUpstream } from '../upstream/index.ts';
import { compareQuestion } from './compare-question.ts';
import type { Comparison } from './compare-question.ts';
import { createReloadLog } from './reload-log.ts';
import { copySampleRules } from './rules-copy.ts';

/** How it is set up. */
export interface StageOptions {
  /** Any folder of the package: the sample rules are found from there. */
  readonly packageFolder: string;
  /** Takes the proxy's log, a line at a time. */
  readonly print: (line: string) => void;
  /** Ports on 127.0.0.1; 0 (the default) picks free ones. */
  readonly proxyPort?: number;
  readonly controlPort?: number;
  /** Faults of the stand-in model. */
  readonly fault?: string;
}

/** What is up. */
export interface Stage {
  readonly upstreamUrl: string;
  readonly toolroll: Toolroll;
  readonly rulesDirectory: string;
  /** The rules' reloads are printed from now on. */
  readonly showReloads: () => void;
  /** Asks every question both ways. */
  readonly askAll: () => Promise<readonly Comparison[]>;
  /** Ends everything and removes the copy of the rules. */
  readonly close: () => Promise<void>;
}

/** @throws the system's error where a port cannot be had */
export async function setStage(options: StageOptions): Promise<Stage> {
  const rules = await copySampleRules(options.packageFolder);
  const upstream = await startUpstream(options.fault === undefined ? {} : { fault: options.fault });
  const clear = async (): Promise<void> => {
    await upstream.close();
    await rules.remove();
  };
  try {
    const { log, showReloads } = createReloadLog(options.print);
    const toolroll = await startToolroll({
      options: toolrollOptions(options, upstream.url, rules.directory),
      environment: {},
      version: 'demo',
      log,
    });
    return {
      upstreamUrl: upstream.url,
      toolroll,
      rulesDirectory: rules.directory,
      showReloads,
      askAll: () => askAll(upstream.url, toolroll),
      close: async () => {
        await toolroll.close();
        await clear();
      },
    };
  } catch (error) {
    await clear();
    throw error;
  }
}

function toolrollOptions(
  { proxyPort = 0, controlPort = 0 }: StageOptions,
  upstreamBaseUrl: string,
  rulesDir: string,
) {
  const loaded = loadOptions({
    flags: {
      upstreamBaseUrl,
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

async function askAll(upstreamUrl: string, toolroll: Toolroll): Promise<readonly Comparison[]> {
  const clients = { direct: clientOf(upstreamUrl), through: clientOf(`${toolroll.proxyUrl}/v1`) };
  const comparisons: Comparison[] = [];
  for (const question of questions) comparisons.push(await compareQuestion(clients, tools, question));
  return comparisons;
}

/** No retries: a failure must be seen. */
function clientOf(baseURL: string): OpenAI {
  return new OpenAI({ baseURL, apiKey: 'demo', maxRetries: 0 });
}
