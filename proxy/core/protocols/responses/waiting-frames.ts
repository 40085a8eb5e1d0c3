import type { ItemVerdict, Verdict } from '../../hops/index.ts';
import type { ResponsesFrame } from './stream-frame.ts';

/** A frame with the bytes it came in. */
export interface Framed {
  readonly raw: Uint8Array;
  readonly wire: ResponsesFrame;
}

/** Frames of one hop that wait: while the whole hop may stay inside, or while their own item may. */
export class WaitingFrames {
  readonly #verdicts = new Map<number, Verdict>();
  /** True as long as no item is left out or on hold: then it does not matter whose a frame is. */
  #allShown = true;
  #frames: Framed[] = [];
  #flowing: boolean;

  /** @param flowing true if frames go on at once, but for those of items that are on hold */
  constructor(flowing: boolean) {
    this.#flowing = flowing;
  }

  get isFlowing(): boolean {
    return this.#flowing;
  }

  /** @returns true if an item is left out by these verdicts */
  note(verdicts: readonly ItemVerdict[]): boolean {
    const hidden = verdicts.filter(({ verdict }) => verdict === 'hide');
    for (const { index, verdict } of verdicts) this.#verdicts.set(index, verdict);
    if (verdicts.length > 0)
      this.#allShown = [...this.#verdicts.values()].every((verdict) => verdict === 'show');
    if (hidden.length > 0) this.#frames = this.#frames.filter(({ wire }) => !this.isHidden(wire));
    return hidden.length > 0;
  }

  isHidden(wire: ResponsesFrame): boolean {
    return this.#verdictOn(wire) === 'hide';
  }

  /** Keeps the frame if it has to wait. */
  takesIn(frame: Framed): boolean {
    const waits = this.isHidden(frame.wire) ? false : !this.#flowing || this.#isOnHold(frame);
    if (waits) this.#frames.push(frame);
    return waits;
  }

  /** From now on frames flow. Gives those that waited, but for items still on hold. */
  release(): Framed[] {
    this.#flowing = true;
    const waited = this.#frames;
    this.#frames = waited.filter((frame) => this.#isOnHold(frame));
    return waited.filter((frame) => !this.#isOnHold(frame));
  }

  get isEmpty(): boolean {
    return this.#frames.length === 0;
  }

  /** The frames that would have opened the response. */
  opening(): Framed[] {
    return this.#frames.filter(({ wire }) => wire.kind === 'lifecycle');
  }

  #isOnHold({ wire }: Framed): boolean {
    return this.#verdictOn(wire) === 'hold';
  }

  #verdictOn(wire: ResponsesFrame): Verdict {
    if (this.#flowing && this.#allShown) return 'show';
    const ofItem = wire.kind === 'item' || wire.kind === 'part' || wire.kind === 'late';
    return (ofItem ? this.#verdicts.get(wire.index) : undefined) ?? 'show';
  }
}
