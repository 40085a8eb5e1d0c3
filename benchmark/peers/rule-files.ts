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
 * 200 rules of all kinds but inject, as YAML, as people write it.
 *
 * @param edition makes a text, and so a revision, that no other edition has
 * @param fileCount how many files they are spread over: a divisor of 50
 * @returns the files by name
 */
export function manyRules(edition: number, fileCount: number): ReadonlyMap<string, string> {
  const perFile = 50 / fileCount;
  return new Map(
    Array.from({ length: fileCount }, (_, file) => {
      const rules = Array.from({ length: perFile }, (__, at) => fourRules(file * perFile + at, edition));
      const head = `apiVersion: toolroll.dev/v1alpha1\nkind: RuleSet\nmetadata: { name: many-${String(file)} }\n`;
      return [`many-${String(file)}.yaml`, `${head}spec:\n  tools:\n${rules.join('')}`];
    }),
  );
}

function fourRules(number: number, edition: number): string {
  const n = String(number);
  return `    - filter: { deny: ["internal_${n}_*", "/^(drop|truncate)_${n}_/"] }
    - rename: { from: tool_${n}, to: renamed_${n} }
    - override:
        name: search_${n}
        description: Searches index ${n} of the handbook, edition ${String(edition)}.
        parameters:
          type: object
          properties: { query: { type: string, description: What to look for. } }
          required: [query]
    - trim: { names: ["verbose_${n}_*"], descriptionChars: 80 }
`;
}

function ruleSet(name: string, spec: object): string {
  return JSON.stringify(
    { apiVersion: 'toolroll.dev/v1alpha1', kind: 'RuleSet', metadata: { name }, spec },
    null,
    2,
  );
}
