import { isAscii, isUtf8 } from 'node:buffer';

/** The text of bytes that may be anything; what is no UTF-8 becomes U+FFFD. ASCII, as JSON mostly is, is a plain copy. */
export function decodeText(bytes: Buffer): string {
  return bytes.toString(isAscii(bytes) ? 'latin1' : 'utf8');
}

/** The text of bytes, or `undefined` where they are no UTF-8. */
export function decodeUtf8(bytes: Buffer): string | undefined {
  if (isAscii(bytes)) return bytes.toString('latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : undefined;
}
