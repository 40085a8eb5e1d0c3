import type { Offer, OfferedTool } from './offered-tools.ts';
import type { CallFormat } from './scan-text.ts';
import { callExample } from './write-call.ts';

const NO_PARAMETERS = '{"type":"object","properties":{}}';

/**
 * What the model has to be told of its tools and how to call them; the same offer gives the same words. `undefined` where
 * nothing is offered.
 */
export function describeTools(offer: Offer, format: CallFormat): string | undefined {
  if (offer.tools.length === 0) return undefined;
  return [
    '# Tools',
    'You can call tools. Each line is one tool, with the JSON Schema of its arguments:',
    `<tools>\n${offer.tools.map(describeTool).join('\n')}\n</tools>`,
    `${HOW_TO_CALL[format]}\n${callExample(format)}`,
    rulesOf(offer).join('\n'),
  ].join('\n\n');
}

const HOW_TO_CALL: Readonly<Record<CallFormat, string>> = {
  xml: 'To call a tool, write one JSON object with its name and its arguments between these tags, and not in a code block:',
  json: 'To call a tool, write one JSON object with its name and its arguments in a code block of its own:',
  any: 'To call a tool, write one JSON object with its name and its arguments between these tags:',
};

function describeTool(tool: OfferedTool): string {
  const description =
    tool.description === undefined ? '' : `"description":${JSON.stringify(tool.description)},`;
  const parameters = tool.kind === 'custom' ? inputSchema(tool) : (tool.parameters ?? NO_PARAMETERS);
  return `{"name":${JSON.stringify(tool.key)},${description}"parameters":${parameters}}`;
}

/** A custom tool takes free text, and a call in text has only arguments: so one of them holds it. */
function inputSchema({ inputFormat }: OfferedTool): string {
  const format = inputFormat === undefined ? '' : ` It has to match this format: ${inputFormat}`;
  const input = JSON.stringify({ type: 'string', description: `The whole input as one text.${format}` });
  return `{"type":"object","properties":{"input":${input}},"required":["input"]}`;
}

function rulesOf(offer: Offer): string[] {
  const names = offer.tools.map(({ key }) => key).join(', ');
  const rules = [
    'The arguments have to be valid JSON that fits the schema. Use only these tools, and never make up what a tool answers: ' +
      'end your answer after the call, and its result is given to you next as <tool_response>.',
  ];
  if (offer.calls === 'one') rules.push('Call one tool at most in an answer.');
  else rules.push('To call several tools, write one such block after the other.');
  if (offer.isNarrowed && offer.demand === 'may') rules.push(`In this answer you may call only: ${names}.`);
  if (offer.demand === 'may') rules.push('If no tool is needed, answer without one.');
  else if (offer.tools.length === 1) rules.push(`In this answer you must call the tool ${names}.`);
  else if (offer.isNarrowed) rules.push(`In this answer you must call one of these tools: ${names}.`);
  else rules.push('In this answer you must call at least one tool.');
  return rules;
}
