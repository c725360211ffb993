// Finds responses without ETag and Last-Modified (RFC 9110 8.8): when they are stale, they are sent again in full,
// where a 304 would do. Their bodies are counted here; no-lifetime.ts counts requests and header sections.

import { formatBytes } from '../report/units.ts';
import { type Finding, findingOn, nothing } from './finding.ts';
import { reuseOf, type Subject } from './subject.ts';

/** Lifetime of responses that are seldom validated. */
const longLifetimeMs = 24 * 60 * 60 * 1000;

export function missingValidators({ load, loaded }: Subject): Finding[] {
  const items = loaded
    .filter((each) => {
      const { lifetimeMs, hasValidator, isForbidden } = reuseOf(each, load.startedAtMs);
      const isShort = (lifetimeMs ?? 0) < longLifetimeMs;
      return !hasValidator && !isForbidden && isShort && each.row.encodedBytes > 0;
    })
    .map(({ row }) => ({
      url: row.url,
      note: `${row.kind}, ${formatBytes(row.encodedBytes)}`,
      saves: { ...nothing, bytes: row.encodedBytes },
    }));
  return findingOn(items, {
    kind: 'missing-validators',
    title: 'Responses cannot be validated',
    advice: 'Send an ETag or Last-Modified, and answer 304 when it is asked about.',
    how: 'no ETag and no Last-Modified; a 304 would save these bodies whenever they have not changed',
    sure: 'likely',
    visit: 'next',
  });
}
