import {
  countTokens,
  PromptCache,
  segmentOf,
  tokensOf,
} from '../../../../../benchmark/upstream/usage/index.ts';

const prompt = (...texts: readonly string[]) => texts.map((text) => segmentOf(text, 1));
const long = 'The quick brown fox jumps over the lazy dog. '.repeat(200);

test('a prompt seen before is cached in steps of 128 tokens', () => {
  const cache = new PromptCache();
  const given = prompt(long, 'question');
  expect(cache.look('m', given)).toBe(0);
  const cached = cache.look('m', given);
  expect(cached % 128).toBe(0);
  expect(tokensOf(given) - cached).toBeLessThan(128 + 4);
});

test('what comes after the first difference is not cached', () => {
  const cache = new PromptCache();
  cache.look('m', prompt(long, 'one', long));
  const shared = cache.look('m', prompt(long, 'two', long));
  expect(shared).toBeLessThanOrEqual(countTokens(long) + 1);
  expect(shared).toBeGreaterThan(countTokens(long) - 128);
  expect(cache.look('m', prompt(`!${long}`, 'one', long))).toBe(0);
});

test('a difference inside a piece leaves what comes before it cached', () => {
  const cache = new PromptCache();
  cache.look('m', prompt(`${long}A`));
  expect(cache.look('m', prompt(`${long}B`))).toBeGreaterThanOrEqual(1024);
});

test('less than 1,024 tokens are never cached', () => {
  const cache = new PromptCache();
  const short = prompt('word '.repeat(1000));
  cache.look('m', short);
  expect(tokensOf(short)).toBeLessThan(1024);
  expect(cache.look('m', short)).toBe(0);
});

test('another model or cache key has a cache of its own', () => {
  const cache = new PromptCache();
  cache.look('a', prompt(long));
  expect(cache.look('b', prompt(long))).toBe(0);
});
