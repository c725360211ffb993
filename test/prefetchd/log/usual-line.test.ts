// What is read straight from bytes is what the format's parser reads, or it is refused.

import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clf } from '../../../prefetchd/log/clf.ts';
import { combined } from '../../../prefetchd/log/combined.ts';
import type { LogFormat } from '../../../prefetchd/log/index.ts';
import { UsualLine } from '../../../prefetchd/log/usual-line.ts';

const real = (name: string) =>
  gunzipSync(readFileSync(new URL(`../../../fixtures/logs/${name}`, import.meta.url)));

/** Whether the line was a usual one; then everything it tells is compared. */
function agrees(format: LogFormat, bytes: Buffer): boolean {
  const withAgent = format.usual === 'with-agent';
  const usual = new UsualLine(withAgent);
  if (!usual.read(bytes, 0)) return false;
  const end = bytes.indexOf('\n');
  expect(usual.next).toBe((end === -1 ? bytes.length : end) + 1);
  const line = bytes.toString('utf8', 0, end === -1 ? bytes.length : end).replace(/\r$/, '');
  const text = (from: number, to: number) => bytes.toString('utf8', from, to);
  expect(format.createParser().parse(line)).toMatchObject({
    address: text(usual.addressStart, usual.addressEnd),
    userAgent: withAgent ? text(usual.agentStart, usual.agentEnd) : undefined,
    method: usual.method,
    url: text(usual.targetStart, usual.targetEnd),
    status: usual.status,
    bytes: usual.bytes,
    timeMs: usual.timeMs,
    purpose: undefined,
  });
  return true;
}

describe.each([
  ['clf', clf, 'epa-http-1995.clf.gz', 0.99],
  ['combined', combined, 'elastic-apache-2015.combined.log.gz', 0.95],
] as const)('%s', (_, format, name, leastShare) => {
  const lines = real(name).toString('latin1').trimEnd().split('\n');

  it('nearly all lines of a real log are usual, and told alike by both', () => {
    const some = lines.filter((_line, index) => index % 5 === 0);
    const usual = some.filter((line) => agrees(format, Buffer.from(line, 'latin1')));
    expect(usual.length / some.length).toBeGreaterThan(leastShare);
  });

  it('a line with any byte or piece changed is told alike by both, or refused', () => {
    const piece = fc.oneof(
      fc.uint8Array({ maxLength: 3 }),
      fc
        .constantFrom('"', '\\', ' ', '" ', '-', '\r', '\n', '\0', '[', '0', 'é', '\u{feff}')
        .map((text) => Buffer.from(text)),
    );
    fc.assert(
      fc.property(
        fc.constantFrom(...lines.slice(0, 300)),
        fc.nat(300),
        fc.nat(3),
        piece,
        (line, at, cut, put) => {
          const bytes = Buffer.from(line, 'latin1');
          const place = Math.min(at, bytes.length);
          agrees(
            format,
            Buffer.concat([bytes.subarray(0, place), put, bytes.subarray(place + cut)]),
          );
        },
      ),
      { numRuns: 5000 },
    );
  });
});
