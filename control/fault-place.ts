import type { Fault } from '../proxy/config/index.ts';

/** Where a fault is, as compilers write it. */
export function placeOf({ file, line, pointer }: Fault): string {
  return [`${file}:${String(line)}`, pointer].filter((part) => part !== '').join(' ');
}
