// A graph that an older version wrote (format 1: each arc a field of its own) becomes rows, in small steps while others
// add to it: each step takes some fields away and puts them into rows, in one script. So it may end at any moment and
// be gone on with by any node, or by several. The first step tells the older nodes: from then on they are refused, and
// go on from memory; what they learned since is told to nobody, so all nodes should be brought up together.

import type { RedisKeys } from './keys.ts';
import type { RedisClient } from './link.ts';

const fieldsPerStep = 500;

export async function convert(
  client: RedisClient,
  keys: RedisKeys,
  maxArcsPerUrl: number,
): Promise<void> {
  for (let cursor = '0', isMore = true; isMore; ) {
    const step = client.convertArcs(
      ...[keys.meta, keys.arcsBefore, keys.rows],
      ...[cursor, fieldsPerStep, maxArcsPerUrl],
    );
    const [next, more] = (await step) as [string, number];
    [cursor, isMore] = [next, more === 1];
  }
}
