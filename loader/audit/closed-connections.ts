// Connections that the server closes after a response, so that the next request needs a new one: a round trip for TCP,
// one more for TLS (Padmanabhan 1995; Nielsen, Gettys et al. 1997).

import { byWeight, type Finding, type FindingItem } from './finding.ts';
import { answered, type Loaded, type Subject } from './subject.ts';

/** Connections that browsers open beside each other to an origin. */
const beside = 6;

export function closedConnections({ load, loaded }: Subject): Finding | null {
  if (load.protocol === 'http1.0') return null;
  const byOrigin = Map.groupBy(loaded.filter(closes), ({ row }) => new URL(row.url).origin);
  const items = [...byOrigin].map(([origin, closed]): FindingItem => {
    const all = loaded.filter(({ row }) => new URL(row.url).origin === origin).length;
    const handshake = origin.startsWith('https:') ? 2 : 1;
    // The page's last one is paid for by the next page.
    const roundTrips = Math.ceil(Math.max(1, closed.length - 1) / beside) * handshake;
    const note = `${closed.length} of ${all} responses closed their connection`;
    return { url: `${origin}/`, note, saves: { bytes: 0, requests: 0, roundTrips } };
  });
  if (items.length === 0) return null;
  return {
    kind: 'closed-connections',
    title: 'The server closes connections',
    advice:
      'Keep connections open: keepalive_timeout and keepalive_requests in nginx, KeepAlive On in Apache, HTTP/1.1 or 2 in applications.',
    how: 'Connection: close in responses, or HTTP/1.0 without keep-alive; a browser opens six connections at once',
    sure: 'likely',
    visit: 'first',
    saves: {
      bytes: 0,
      requests: 0,
      roundTrips: Math.max(...items.map(({ saves }) => saves.roundTrips)),
    },
    items: items.toSorted(byWeight),
  };
}

function closes({ row }: Loaded): boolean {
  if (row.httpVersion === 'h2') return false;
  const connection = answered(row, 'connection');
  if (/\bclose\b/i.test(connection)) return true;
  return row.httpVersion === 'http/1.0' && !/\bkeep-alive\b/i.test(connection);
}
