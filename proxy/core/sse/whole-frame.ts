/** A frame with the blank line that it lacks, so that what follows is not read as a part of it; one that is blank itself stays. */
export function wholeFrame(frame: Uint8Array): Uint8Array {
  if (frame.every((byte) => byte === 0x0a || byte === 0x0d)) return frame;
  const whole = new Uint8Array(frame.length + 2);
  whole.set(frame);
  whole.fill(0x0a, frame.length);
  return whole;
}
