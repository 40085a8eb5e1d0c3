/** The demo: real turns both ways, one table, then pages to open. */
import { questions, tools } from '../scenarios/index.ts';
import { renderComparisons, renderFailures } from './result-table.ts';
import { setStage } from './stage.ts';
import type { StageOptions } from './stage.ts';
import { describeWhatToTry } from './what-to-try.ts';

/** How the demo is run; `print` takes one line or several. */
export interface DemoOptions extends StageOptions {
  /** The demo stays up until this fires; fired already, it ends after the table. */
  readonly until: AbortSignal;
}

/**
 * Runs the demo and cleans up behind it.
 *
 * @returns true if every turn through Toolroll gave what direct gives
 * @throws the system's error where a port cannot be had
 */
export async function runDemo(options: DemoOptions): Promise<boolean> {
  const { print, until } = options;
  const stage = await setStage(options);
  const { toolroll, upstreamUrl } = stage;
  try {
    print(
      [
        `stand-in model  ${upstreamUrl}`,
        `proxy           ${toolroll.proxyUrl}/v1`,
        `control         ${toolroll.controlUrl}`,
        '',
        `Asking ${String(questions.length)} questions with ${String(tools.length)} tools, as JSON and as a stream, ` +
          'direct and through Toolroll.',
      ].join('\n'),
    );
    const comparisons = await stage.askAll();
    const failures = renderFailures(comparisons);
    print(['', renderComparisons(comparisons), '', ...failures].join('\n'));
    if (!until.aborted) {
      print(describeWhatToTry(toolroll, stage.rulesDirectory));
      stage.showReloads();
      await fired(until);
    }
    return failures.length === 0;
  } finally {
    await stage.close();
  }
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
