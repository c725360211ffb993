// Finds connections that the server closes after a response, so that the next request needs a new connection: one round
// trip for TCP and another for TLS (Padmanabhan 1995; Nielsen, Gettys et al. 1997).

import type { ResourceRecord } from '../page-load.ts';
import { plural } from '../report/units.ts';
import { type Finding, type FindingItem, findingOn, nothing } from './finding.ts';
import { answered, isOwn, type Subject } from './subject.ts';

/** Number of connections that browsers keep open in parallel to an HTTP/1.1 origin. */
const beside = 6;

export function closedConnections({ load }: Subject): Finding[] {
  if (load.protocol === 'http1.0') return [];
  // Redirects and errors count as responses, too, because the request after them needs a new connection.
  const responses = load.resources.filter((row) => row.status !== null && isOwn(row));
  const byOrigin = Map.groupBy(responses, ({ url }) => new URL(url).origin);
  const items = [...byOrigin].flatMap(([origin, all]): FindingItem[] => {
    const closed = all.filter(closes);
    if (closed.length === 0) return [];
    const handshake = origin.startsWith('https:') ? 2 : 1;
    // The last connection that is closed delays no request of this page, only requests of the next page.
    const roundTrips = Math.ceil(Math.max(1, closed.length - 1) / beside) * handshake;
    const note = `${closed.length} of ${plural(all.length, 'response')} closed the connection`;
    return [{ url: `${origin}/`, note, saves: { ...nothing, roundTrips } }];
  });
  const words = {
    kind: 'closed-connections',
    title: 'The server closes connections',
    advice:
      'Keep connections open: keepalive_timeout and keepalive_requests in nginx, KeepAlive On in Apache, HTTP/1.1 or 2 in applications.',
    how: 'Connection: close in responses, or HTTP/1.0 without keep-alive; a browser opens six connections at once',
    sure: 'likely',
    visit: 'first',
  } as const;
  return findingOn(items, words, Math.max(0, ...items.map(({ saves }) => saves.roundTrips)));
}

function closes(row: ResourceRecord): boolean {
  if (row.httpVersion === 'h2') return false;
  const connection = answered(row, 'connection');
  if (/\bclose\b/i.test(connection)) return true;
  return row.httpVersion === 'http/1.0' && !/\bkeep-alive\b/i.test(connection);
}
