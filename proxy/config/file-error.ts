/**
 * The code of an error of the file system, such as `ENOENT`, or the error as text where it has none.
 * Looks at the code alone: such errors may come from another realm, in which `instanceof Error` does not hold.
 */
export function errorCode(error: unknown): string {
  const code: unknown =
    typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : String(error);
}
