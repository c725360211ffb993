// A site of some pages and its visitors, as the tests of the dashboard walk it.

import type { Running } from '../service/ask.ts';

/** So many visitors, each with an address of its own, go the way one after the other. */
export async function walk(
  { post }: Pick<Running, 'post'>,
  way: readonly string[],
  visitors: number,
  first = 0,
): Promise<void> {
  for (let visitor = first; visitor < first + visitors; visitor++) {
    const client = `198.51.100.${visitor} Firefox`;
    for (const url of way) await post('/v1/hints', { client, url, bytes: 1000 });
  }
}
