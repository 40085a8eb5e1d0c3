/** A menu of names, as the product shows it: for checks of the stand-in without the product. */
import type { FunctionTool } from './tool.ts';

/** A tool whose one parameter takes names of the tools given. */
export function menuOf(tools: readonly { readonly name: string }[]): FunctionTool {
  const names = {
    type: 'array',
    items: { type: 'string', enum: tools.map((tool) => tool.name) },
    minItems: 1,
    maxItems: 8,
  };
  return {
    type: 'function',
    name: 'call_tool',
    description:
      'Opens tools by name. Name every tool that the request needs; they can be called afterwards.',
    parameters: { type: 'object', properties: { names }, required: ['names'] },
    strict: false,
  };
}
