import type { Target } from './client.ts';
import type { ModelTestOptions } from './options.ts';
import { findModel, probe } from './probe.ts';
import type { ServerTraits } from './probe.ts';
import { heading, resultLines } from './report.ts';
import { runTurn } from './run-turn.ts';
import type { TurnResult, TurnSetting } from './run-turn.ts';
import { scenarios } from './scenarios.ts';
import type { Scenario } from './scenarios.ts';
import { startInFrontOf } from './start-toolroll.ts';
import type { Answer, Way } from './talk.ts';

const ways: readonly Way[] = [
  { api: 'chat', shape: 'json' },
  { api: 'chat', shape: 'stream' },
  { api: 'responses', shape: 'json' },
  { api: 'responses', shape: 'stream' },
];

type Print = (line: string) => void;

/**
 * Runs everything and prints it.
 *
 * @returns true where all passed
 * @throws Error that says why nothing could be run
 */
export async function runAll(options: ModelTestOptions, print: Print): Promise<boolean> {
  const { baseUrl, timeoutSeconds, only } = options;
  const server: Target = { baseUrl, timeoutSeconds, model: await findModel(options) };
  const traits = await probe(server);
  if (traits.chat === undefined && traits.responses === undefined) {
    throw new Error(`${baseUrl} answers neither chat/completions nor responses with ${server.model}`);
  }
  heading(server, traits).forEach(print);
  const takesSecondSystem = [traits.chat, traits.responses].every((api) => api?.takesSecondSystem ?? true);
  const toolroll = await startInFrontOf(options, takesSecondSystem ? 'own' : 'append');
  const count = { passed: 0, failed: 0 };
  try {
    for (const scenario of scenarios) {
      for (const way of ways) {
        const run = {
          scenario,
          way,
          traits,
          isWanted: (label: string) => only === undefined || label.includes(only),
        };
        for await (const { label, result } of runScenario({ server, toolroll }, run)) {
          count[result.faults.length === 0 ? 'passed' : 'failed'] += 1;
          resultLines(label, result).forEach(print);
        }
      }
    }
  } finally {
    await toolroll.close();
  }
  print(`\n${String(count.passed)} passed, ${String(count.failed)} failed`);
  return count.failed === 0;
}

interface ScenarioRun {
  readonly scenario: Scenario;
  readonly way: Way;
  readonly traits: ServerTraits;
  readonly isWanted: (label: string) => boolean;
}

async function* runScenario(
  setting: TurnSetting,
  { scenario, way, traits, isWanted }: ScenarioRun,
): AsyncGenerator<{ readonly label: string; readonly result: TurnResult }> {
  const api = traits[way.api];
  if (api === undefined) return;
  const { streamReader, takesToolHistory } = api;
  let previous: Answer | undefined;
  for (const [turn, talk] of scenario.turns.entries()) {
    const label = `${way.api.padEnd(9)}  ${way.shape.padEnd(6)}  ${`${scenario.title}, turn ${String(turn + 1)}`.padEnd(26)}`;
    const needsToolHistory =
      scenario.rules.startsWith('skill') || (turn > 0 && !scenario.rules.startsWith('text'));
    if (!isWanted(label) || (needsToolHistory && !takesToolHistory)) continue;
    const question = { ...way, talk: talk(previous), streamReader, wantsUsage: scenario.wantsUsage };
    const result = await runTurn(setting, { rules: scenario.rules, turn, question });
    previous = result.answer;
    yield { label, result };
  }
}
