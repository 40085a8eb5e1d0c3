/** The rule files of the peers, as JSON: the loader reads it like YAML. */

/** Three kinds of rules on every turn, all tools shown: one hop. */
export const oneHopRules = ruleSet('one-hop', {
  tools: [
    { filter: { deny: ['transfer_money', 'delete_*'] } },
    { rename: { from: 'get_weather_forecast', to: 'weather_lookup' } },
    { rename: { from: 'send_email', to: 'mail_send' } },
    { trim: { descriptionChars: 100, parameterDescriptionChars: 60 } },
  ],
});

/** Every tool rolled up, even where there is only one. */
export const twoHopRules = ruleSet('two-hops', {
  selection: { strategy: 'two_hop', minTools: 0, minToolTokens: 0 },
});

/**
 * 200 rules of all kinds but inject.
 *
 * @param edition makes a text, and so a revision, that no other edition has
 */
export function manyRules(edition: number): string {
  const rules = Array.from({ length: 50 }, (_, at) => {
    const n = String(at);
    return [
      { filter: { deny: [`internal_${n}_*`, `/^(drop|truncate)_${n}_/`] } },
      { rename: { from: `tool_${n}`, to: `renamed_${n}` } },
      {
        override: {
          name: `search_${n}`,
          description: `Searches index ${n}, edition ${String(edition)}.`,
          parameters: { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] },
        },
      },
      { trim: { names: [`verbose_${n}_*`], descriptionChars: 80 } },
    ];
  });
  return ruleSet('many', { tools: rules.flat() });
}

function ruleSet(name: string, spec: object): string {
  return JSON.stringify(
    { apiVersion: 'toolroll.dev/v1alpha1', kind: 'RuleSet', metadata: { name }, spec },
    null,
    2,
  );
}
