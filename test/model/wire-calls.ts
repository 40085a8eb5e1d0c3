/** A call as either API brings it. */
export interface WireCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: unknown;
}

/**
 * What is wrong with calls, whatever they ask for.
 *
 * @param isCut whether the model ran out of tokens: the last call's arguments may then be half
 */
export function callFaults(calls: readonly WireCall[], isCut: boolean): readonly string[] {
  const ids = new Set(calls.map(({ id }) => id));
  return [
    ...(ids.size === calls.length && !ids.has('') ? [] : [`call ids ${JSON.stringify([...ids])}`]),
    ...calls.flatMap(({ name }) => (name === '' ? ['a call without a name'] : [])),
    ...calls.flatMap(({ name, arguments: text }) =>
      typeof text !== 'string'
        ? [`the arguments of ${name} are no string`]
        : isCut || isJson(text)
          ? []
          : [`the arguments of ${name} are no JSON: ${text.slice(0, 80)}`],
    ),
  ];
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
