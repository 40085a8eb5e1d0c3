import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { errorCatalogue, ToolrollError } from '../../../proxy/core/errors.ts';
import type { ErrorCode } from '../../../proxy/core/errors.ts';

// `Object.keys` is typed as string[] since a value may have more keys than its type; the catalogue has not.
const codes = Object.keys(errorCatalogue) as ErrorCode[];

/** The rows of the table under the heading "Errors" of ARCHITECTURE.md, as cells without their backquotes. */
function documentedErrors(): string[][] {
  const text = readFileSync(join(__dirname, '../../../ARCHITECTURE.md'), 'utf8');
  const section = /^#+ Errors\s*$([^]*?)(?=^#+ |$(?![^]))/m.exec(text)?.[1] ?? '';
  return section
    .split('\n')
    .filter((line) => /^\|\s*`/.test(line))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim().replaceAll('`', '')),
    );
}

describe('the catalogue of errors', () => {
  it('is documented in ARCHITECTURE.md, code by code with its status, and nothing else is', () => {
    const documented = documentedErrors().map(([code, status]) => [code, Number(status)]);

    expect(documented.toSorted()).toEqual(
      codes.map((code) => [code, errorCatalogue[code].status]).toSorted(),
    );
  });

  it.each(codes)(
    'makes of %s a body in the shape of the API, with every place of its message filled',
    (code) => {
      const places = [...errorCatalogue[code].message.matchAll(/\{(\w+)\}/g)].map(([, name]) => String(name));
      const error = new ToolrollError(code, Object.fromEntries(places.map((name) => [name, `<${name}>`])), {
        param: 'tools',
        cause: new Error('the cause'),
      });

      const { message, ...rest } = error.toBody().error;
      expect(rest).toEqual({ type: errorCatalogue[code].type, param: 'tools', code });
      expect(message).not.toMatch(/[{}]/);
      for (const name of places) expect(message).toContain(`<${name}>`);
      expect(JSON.stringify(error.toBody())).not.toContain('the cause');
    },
  );
});
