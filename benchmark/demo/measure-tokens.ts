import { renderFailures } from './result-table.ts';
import { setStage } from './stage.ts';

/** Input tokens of all questions, as JSON, with 37 tools. */
export interface TokenResult {
  readonly direct: number;
  /** Of all hops together. */
  readonly through: number;
}

/**
 * Counts with the tokenizer of the stand-in model.
 *
 * @param packageFolder any folder of the package
 * @throws Error if an answer through Toolroll is another than direct
 */
export async function measureTokens(packageFolder: string): Promise<TokenResult> {
  const stage = await setStage({ packageFolder, print: () => undefined });
  try {
    const comparisons = await stage.askAll();
    const failures = renderFailures(comparisons);
    if (failures.length > 0) throw new Error(failures.join('\n'));
    return {
      direct: comparisons.reduce((sum, { directTokens }) => sum + directTokens, 0),
      through: comparisons.reduce((sum, { throughTokens }) => sum + throughTokens, 0),
    };
  } finally {
    await stage.close();
  }
}
