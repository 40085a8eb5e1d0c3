/** One thing wrong with the rules: where it stands and what to do about it. */
export interface Fault {
  /** The name of the file inside the rules directory; empty where the directory itself is meant. */
  readonly file: string;
  /** The line, counted from 1. */
  readonly line: number;
  /** JSON pointer (RFC 6901) into the document of that line; empty for the document itself. */
  readonly pointer: string;
  /** A sentence for the person who wrote the file. */
  readonly message: string;
}

/** How many faults of one document are told. Whoever has more has another problem, such as the wrong file. */
export const maxFaults = 100;

/** Appends one key or index to a JSON pointer. */
export function pointerTo(pointer: string, key: string | number): string {
  return `${pointer}/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** The keys that a JSON pointer names, from the outside in. */
export function keysOf(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** A fault that concerns a whole file. */
export function fileFault(file: string, message: string): Fault {
  return { file, line: 1, pointer: '', message };
}

/** Faults as a reader walks through the files: by file, then by line. */
export function inPlace<F extends Fault>(faults: readonly F[]): F[] {
  return [...faults].sort((a, b) => (a.file === b.file ? a.line - b.line : a.file < b.file ? -1 : 1));
}
