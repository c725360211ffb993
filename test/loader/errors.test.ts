// Error codes are an interface. docs/errors.md is made of them and their comments (option-documents.test.ts).

import { expect, it } from 'vitest';
import { loaderErrorCodes } from '../../loader/errors.ts';
import { prefetchdErrorCodes } from '../../prefetchd/errors.ts';
import { serverErrorCodes } from '../../server/errors.ts';

it.each([
  ['LoaderError', loaderErrorCodes],
  ['ServerError', serverErrorCodes],
  ['PrefetchdError', prefetchdErrorCodes],
])('codes of %s are kebab-case, each once', (_, codes) => {
  expect(new Set(codes).size).toBe(codes.length);
  for (const code of codes) expect(code).toMatch(/^[a-z]+(-[a-z]+)*$/);
});
