import {
  applyEdits,
  editMembers,
  isJsonObject,
  parseJson,
  scanObject,
  stringField,
} from '../../json/index.ts';

interface OpenCall {
  /** The item as it began, its arguments empty. */
  readonly own: string;
  /** The data of its deltas, read only if the call is never closed. */
  readonly deltas: string[];
}

/**
 * Keeps what is needed to read a call that the stream never closes: some servers (vLLM) leave the `done` events out, and
 * some give no `output` at the end either.
 */
export class UnclosedCalls {
  readonly #calls = new Map<number, OpenCall>();

  begin(index: number, own: string): void {
    this.#calls.set(index, { own, deltas: [] });
  }

  /** @param data the data of an event inside the item */
  note(index: number, data: string): void {
    this.#calls.get(index)?.deltas.push(data);
  }

  end(index: number): void {
    this.#calls.delete(index);
  }

  /** The call with the arguments that its deltas add up to. */
  read(index: number): string | undefined {
    const call = this.#calls.get(index);
    if (call === undefined) return undefined;
    let text = '';
    for (const data of call.deltas) {
      const event = parseJson(data);
      if (!isJsonObject(event)) continue;
      const whole = stringField(event, 'arguments') ?? stringField(event, 'input');
      text = whole ?? text + (stringField(event, 'delta') ?? '');
    }
    const item = parseJson(call.own);
    const member = isJsonObject(item) && item['type'] === 'custom_tool_call' ? 'input' : 'arguments';
    if (text === '') return call.own;
    return applyEdits(
      call.own,
      editMembers(call.own, scanObject(call.own), { [member]: JSON.stringify(text) }),
    );
  }
}
