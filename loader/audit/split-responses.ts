// Finds small responses that come in two pieces with a wait between them: a server that writes header and body
// separately, with Nagle's algorithm on, sends the rest only when the client acknowledges the beginning, and clients
// delay acknowledgments by 40 to 200 ms (Heidemann 1996, 2.2 and 2.3). The wait can be seen only where a connection
// carries one request at a time, as in browsers.

import type { ResourceRecord } from '../page-load.ts';
import { formatMs, plural } from '../report/units.ts';
import { type Finding, type FindingItem, findingOn, nothing } from './finding.ts';
import type { Subject } from './subject.ts';

/** Longest response, bytes, that fits into a first window of ten segments without another round trip (RFC 6928). */
const mostBytes = 14_600;
/** How long clients delay an acknowledgment: Linux 40 ms, other systems up to 200 (RFC 1122 4.2.3.2: at most 500). */
const [leastMs, mostMs] = [30, 250];
/** Least number of responses in two pieces that is reported: a single one may be chance, as when a packet was lost. */
const leastResponses = 3;

export function splitResponses({ load }: Subject): Finding[] {
  const small = load.resources.filter(
    ({ httpVersion, fromCache, encodedBytes, responseEndMs }) =>
      httpVersion !== 'h2' && !fromCache && encodedBytes <= mostBytes && responseEndMs !== null,
  );
  const byOrigin = Map.groupBy(small, ({ url }) => new URL(url).origin);
  const items = [...byOrigin].flatMap(([origin, all]): FindingItem[] => {
    const roundTripMs = Math.min(...all.map(firstByteMs));
    const waits = all
      .map(waitMs)
      .filter((ms) => ms > 2 * roundTripMs && ms >= leastMs && ms < mostMs);
    if (waits.length < leastResponses || waits.length < all.length / 4) return [];
    const median = waits.toSorted((a, b) => a - b)[waits.length >> 1] as number;
    const note = `${waits.length} of ${plural(all.length, 'small response')} waited ${formatMs(median)} in their middle`;
    return [{ url: `${origin}/`, note, saves: nothing }];
  });
  const words = {
    kind: 'split-responses',
    title: 'Small responses wait in their middle',
    advice: 'Write head and content together, and set TCP_NODELAY: tcp_nodelay on in nginx.',
    how: 'time between first and last byte of responses that fit in one flight, far above a round trip',
    sure: 'likely',
    visit: 'first',
  } as const;
  return findingOn(items, words);
}

const waitMs = ({ responseStartMs, responseEndMs }: ResourceRecord): number =>
  (responseEndMs ?? 0) - (responseStartMs ?? Number.POSITIVE_INFINITY);

const firstByteMs = ({ requestStartMs, responseStartMs }: ResourceRecord): number =>
  (responseStartMs ?? Number.POSITIVE_INFINITY) - (requestStartMs ?? 0);
