import { computeSavings } from '../../../../proxy/core/tokens/index.ts';

describe('computeSavings', () => {
  it('is what direct would have sent less what all hops used', () => {
    const hops = [
      { shownTools: 300, inputTokens: 400 },
      { shownTools: 200, inputTokens: 300 },
    ];

    expect(computeSavings({ rest: 100, sentTools: 5000, hops })).toEqual({ saved: 4400, lost: 0 });
  });

  it('is a loss where the hops used more', () => {
    const hops = [
      { shownTools: 300, inputTokens: 1300 },
      { shownTools: 200, inputTokens: 1200 },
    ];

    expect(computeSavings({ rest: 1000, sentTools: 400, hops })).toEqual({ saved: 0, lost: 1100 });
  });

  it('follows an upstream that counts otherwise, the more the more it has counted', () => {
    const saved = (size: number, factor: number): number =>
      computeSavings({
        rest: 0,
        sentTools: 10_000,
        hops: [{ shownTools: size, inputTokens: size * factor }],
      }).saved;

    expect(saved(9_000, 1.2)).toBeGreaterThan(1_000 * 1.17);
    expect(saved(100, 1.2)).toBeLessThan(9_900 * 1.03);
  });

  it('takes the estimate alone where the upstream counted something else: an image, a conversation it holds', () => {
    const hops = [{ shownTools: 1_000, inputTokens: 90_000 }];

    expect(computeSavings({ rest: 100, sentTools: 5_000, hops })).toEqual({ saved: 4_000, lost: 0 });
    expect(computeSavings({ rest: 1_000_000, sentTools: 5_000, hops })).toEqual({ saved: 4_000, lost: 0 });
  });

  it('estimates the hops without a count, and all of them where there is none', () => {
    const hop = { shownTools: 300, inputTokens: undefined };

    expect(computeSavings({ rest: 100, sentTools: 5_000, hops: [hop, hop] })).toEqual({
      saved: 4_300,
      lost: 0,
    });
    expect(computeSavings({ rest: 100, sentTools: 5_000, hops: [] })).toEqual({ saved: 0, lost: 0 });
  });
});
