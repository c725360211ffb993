import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { microscapeDir } from '../../fixtures/index.ts';
import { leastParameters, usualParameters, V42bisCoder } from './v42bis.ts';

const file = (name: string) => readFileSync(join(microscapeDir, name));
const html = file('index.html');
const mixed = Buffer.concat([html, file('images/lead-view.gif'), html, file('images/logo.gif')]);

/** What the coder sends for the bytes, packet by packet. */
function coded(bytes: Buffer, parameters = usualParameters, packet = bytes.length): Buffer {
  const coder = new V42bisCoder(parameters);
  const sent: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += packet)
    sent.push(coder.code(bytes.subarray(at, at + packet)));
  return Buffer.concat(sent);
}

const digest = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex').slice(0, 16);

describe('V.42bis', () => {
  // The decoder of another implementation (libspandsp 0.0.6) reads each of these as what went in.
  it.each([
    ['the HTML', html, usualParameters, undefined, 18_106, '8c9ac4ce53fe3c45'],
    ['the HTML in packets', html, usualParameters, 1460, 18_182, 'c7d016c21414d105'],
    [
      'the HTML with the least dictionary',
      html,
      leastParameters,
      undefined,
      25_042,
      'ff2da9b4baf97d8b',
    ],
    [
      'HTML and images in turns, so that the mode changes',
      mixed,
      usualParameters,
      1460,
      80_415,
      '4f253b5f404ea8b1',
    ],
  ])('sends %s as known', (_, bytes, parameters, packet, length, known) => {
    const sent = coded(bytes, parameters, packet);
    expect([sent.length, digest(sent)]).toEqual([length, known]);
  });

  it('sends compressed data as they are, with the escape character marked', () => {
    const deflated = deflateSync(html);
    const marks = coded(deflated).length - deflated.length;
    expect(marks).toBeGreaterThan(0);
    expect(marks / deflated.length).toBeLessThan(0.01);
  });
});
