// What is read straight from bytes is what the format's parser reads, or it is refused.

import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { clf } from '../../../prefetchd/log/formats/clf.ts';
import { combined } from '../../../prefetchd/log/formats/combined.ts';
import type { LogFormat } from '../../../prefetchd/log/index.ts';
import { type KnownAgents, UsualLine } from '../../../prefetchd/log/usual-line.ts';
import fc from '../../support/property.ts';

const real = (name: string) =>
  gunzipSync(readFileSync(new URL(`../../../fixtures/logs/${name}`, import.meta.url)));

/** Knows every user agent that was read before, by its bytes. */
class Agents implements KnownAgents<string> {
  readonly #texts = new Set<string>();
  known(view: DataView, start: number, end: number): string | undefined {
    const text = Buffer.from(view.buffer, view.byteOffset + start, end - start).toString('latin1');
    return this.#texts.has(text) ? text : undefined;
  }
  learn(bytes: Buffer): void {
    this.#texts.add(bytes.toString('latin1'));
  }
}

const agents = new Agents();
// One for all lines of a format: what is kept from line to line must not show.
const readers = {
  'with-agent': new UsualLine(true, agents),
  'without-agent': new UsualLine(false, agents),
};

/** Whether the line was a usual one; then everything it tells is compared. */
function agrees(format: LogFormat, bytes: Buffer): boolean {
  if (format.usual === undefined) throw new Error(`${format.name} has no usual line`);
  const withAgent = format.usual === 'with-agent';
  const usual = readers[format.usual];
  const end = bytes.indexOf('\n') === -1 ? bytes.length : bytes.indexOf('\n');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  if (!usual.read({ bytes, view }, 0, end)) return false;
  const line = bytes.toString('utf8', 0, end).replace(/\r$/, '');
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
  if (withAgent) agents.learn(bytes.subarray(usual.agentStart, usual.agentEnd));
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
