// Finds a large resource without ranges (RFC 9110 14): an interrupted transfer starts over, and the first bytes of
// images cannot be requested first (Nielsen, Gettys et al. 1997, "Range Requests").

import { formatBytes } from '../report/units.ts';
import { type Finding, findingOn, nothing } from './finding.ts';
import type { Subject } from './subject.ts';

export function noRanges({ load, trials }: Subject): Finding[] {
  const { range } = trials;
  if (range === null || range.status !== 200) return [];
  const row = load.resources.find(({ url }) => url === range.url);
  const note = formatBytes(row?.encodedBytes ?? 0);
  return findingOn([{ url: range.url, note, saves: nothing }], {
    kind: 'no-ranges',
    title: 'A large resource cannot be fetched in parts',
    advice:
      'Serve large files with Accept-Ranges: bytes and a strong ETag, so that broken transfers go on where they broke.',
    how: 'one request for bytes 0 to 99 of the largest resource that is not text; the answer was the whole',
    sure: 'measured',
    visit: 'first',
  });
}
