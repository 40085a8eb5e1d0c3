import { applyEdits, editMembers, lastMember } from '../json/index.ts';
import type { Edit, JsonObject, ObjectScan } from '../json/index.ts';
import { formatEvent, replaceData } from '../sse/index.ts';

/** An event of the upstream. */
export interface UpstreamEvent {
  readonly raw: Uint8Array;
  readonly text: string;
  readonly data: string;
  readonly type: string;
  readonly value: JsonObject;
  readonly scan: ObjectScan;
}

const encoder = new TextEncoder();

/**
 * Writes events and numbers them: as the upstream does until one of ours, or one out of its order, stands between them. A
 * server that numbers nothing gets no numbers from us.
 */
export class EventWriter {
  #next: number | undefined;
  #isOurs = false;

  /** From here on numbers are ours. */
  renumber(): void {
    this.#isOurs = true;
  }

  /** An event of the upstream, with these members set where it has them. */
  pass(
    event: UpstreamEvent,
    members: Readonly<Record<string, string>> = {},
    inner: readonly Edit[] = [],
  ): Uint8Array {
    const { data, scan, value } = event;
    const present = Object.entries(members).filter(([key]) => lastMember(scan, key) !== undefined);
    const edits = [
      ...editMembers(data, scan, {
        ...Object.fromEntries(present),
        ...this.#number(value['sequence_number']),
      }),
      ...inner,
    ];
    return edits.length === 0 ? event.raw : encoder.encode(replaceData(event.text, applyEdits(data, edits)));
  }

  /** An event of ours. @param members JSON texts */
  write(type: string, members: Readonly<Record<string, string>>): Uint8Array {
    this.#isOurs = true;
    const number: Record<string, string> =
      this.#next === undefined ? {} : { sequence_number: String(this.#next) };
    if (this.#next !== undefined) this.#next += 1;
    const fields = Object.entries({ type: JSON.stringify(type), ...number, ...members });
    const data = fields.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(',');
    return encoder.encode(formatEvent(type, `{${data}}`));
  }

  #number(own: unknown): Record<string, string> {
    if (typeof own !== 'number') return {};
    const number = this.#isOurs && this.#next !== undefined ? this.#next : own;
    this.#next = number + 1;
    return number === own ? {} : { sequence_number: String(number) };
  }
}
