import { chineseQuestions, chineseTools, makeTools, tools } from '../../../../benchmark/scenarios/index.ts';
import { countTokens } from '../../../../benchmark/upstream/index.ts';

test('there are 37 tools, and a request with them costs what the product promises to save on', () => {
  expect(tools).toHaveLength(37);
  const tokens = tools.reduce((sum, tool) => sum + countTokens(JSON.stringify(tool)), 0);
  expect(tokens).toBeGreaterThan(5_100);
  expect(tokens).toBeLessThan(5_400);
});

test.each([1, 37, 200, 437])('a set of %i tools is distinct and the same at every call', (count) => {
  const made = makeTools(count);
  expect(new Set(made.map((tool) => tool.name)).size).toBe(count);
  expect(new Set(made.map((tool) => tool.description)).size).toBe(count);
  expect(JSON.stringify(makeTools(count))).toBe(JSON.stringify(made));
  expect(made.every((tool) => /^[a-zA-Z0-9_-]{1,128}$/.test(tool.name))).toBe(true);
});

test('more tools than there are is an error, not a repetition', () => {
  expect(() => makeTools(438)).toThrow(RangeError);
});

test('the Chinese set is Chinese where the model reads it', () => {
  expect(chineseTools).toHaveLength(20);
  expect(chineseTools.every((tool) => /\p{Script=Han}{8}/u.test(tool.description))).toBe(true);
  const names = chineseTools.map((tool) => tool.name);
  expect(chineseQuestions.every((question) => names.includes(question.tool))).toBe(true);
});
