// Error codes are an interface: the lists are pinned, and docs/errors.md explains exactly these.

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { loaderErrorCodes } from '../../loader/errors.ts';
import { prefetchdErrorCodes } from '../../prefetchd/errors.ts';
import { serverErrorCodes } from '../../server/errors.ts';

it('codes are kebab-case, each once', () => {
  expect(new Set(loaderErrorCodes).size).toBe(loaderErrorCodes.length);
  for (const code of loaderErrorCodes) expect(code).toMatch(/^[a-z]+(-[a-z]+)*$/);
});

describe('docs/errors.md', () => {
  const page = readFileSync(new URL('../../docs/errors.md', import.meta.url), 'utf8');
  /** The rows under the heading that names the error class. */
  const rowsOf = (name: string) =>
    (page.split(/^## /m).find((section) => section.startsWith(name)) ?? '')
      .split('\n')
      .filter((line) => line.startsWith('| `'))
      .map((line) =>
        line
          .split('|')
          .slice(1, -1)
          .map((cell) => cell.trim()),
      );

  describe.each([
    ['LoaderError', loaderErrorCodes],
    ['ServerError', serverErrorCodes],
    ['PrefetchdError', prefetchdErrorCodes],
  ])('%s', (name, codes) => {
    it('has a row for each code and no other, in the order of the list', () => {
      expect(rowsOf(name).map(([code]) => code)).toEqual(codes.map((code) => `\`${code}\``));
    });

    it('says what each means and what to do', () => {
      for (const [code, meaning, remedy] of rowsOf(name)) {
        expect(meaning?.length, code).toBeGreaterThan(15);
        expect(remedy?.length, code).toBeGreaterThan(10);
      }
    });
  });
});
