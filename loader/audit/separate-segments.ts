// Finds header sections and bodies that left the server in separate writes, and so in separate segments: this costs one
// more packet each, and with a small first segment a slower start (Heidemann 1996).

import { type Finding, findingOn, nothing } from './finding.ts';
import { answered, type Loaded, type Subject } from './subject.ts';

/** Least number of responses; a few may be chance. */
const leastResponses = 3;
const leastShare = 0.25;
/** Length of the TCP and IP headers without options, bytes. */
const packetBytes = 40;

export function separateSegments({ loaded }: Subject): Finding[] {
  const ready = loaded.filter(isReady);
  const apart = ready.filter(({ row }) => row.bodyStartMs !== row.responseStartMs);
  if (apart.length < leastResponses || apart.length < ready.length * leastShare) return [];
  const items = apart.map(({ row }) => ({
    url: row.url,
    note: `body ${((row.bodyStartMs ?? 0) - (row.responseStartMs ?? 0)).toFixed(2)} ms after the header section`,
    saves: { ...nothing, bytes: packetBytes },
  }));
  return findingOn(items, {
    kind: 'separate-segments',
    title: 'Header and body come in separate segments',
    advice:
      'Send them in one write: tcp_nopush on with sendfile in nginx, a corked socket or one write in applications.',
    how: `${apart.length} of ${ready.length} responses whose length was known: the header section ended a read, and the body began the next one`,
    sure: apart.length > ready.length / 2 ? 'likely' : 'perhaps',
    visit: 'first',
  });
}

/** Whether the response is a file, known in full when its head was sent. Over TLS, segments are not visible. */
function isReady({ row }: Loaded): boolean {
  return (
    row.httpVersion === 'http/1.1' &&
    row.url.startsWith('http:') &&
    row.encodedBytes > 0 &&
    answered(row, 'content-length') !== '' &&
    answered(row, 'etag') + answered(row, 'last-modified') !== ''
  );
}
