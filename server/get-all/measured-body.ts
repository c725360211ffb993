// The body of an inner response, as long as its Content-Length says: shorter or longer is an error.

import { fieldLines, type HeaderPair } from '../../http/header-pairs.ts';

/** null: the response does not say, or not clearly. */
export function lengthOf(fields: readonly HeaderPair[]): number | null {
  const [line = '', ...others] = fieldLines(fields, 'content-length');
  return /^\d{1,15}$/.test(line) && others.length === 0 ? Number(line) : null;
}

/** @throws Error if the site gave up, or wrote another length */
export async function* measured(
  body: AsyncIterable<Buffer>,
  length: number | null,
): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (length !== null && bytes > length) throw new Error('longer than its Content-Length');
    yield chunk;
  }
  if (length !== null && bytes < length) throw new Error('shorter than its Content-Length');
}
