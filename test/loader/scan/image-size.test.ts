// Width and height from the first bytes of an image, in any chunking.

import { describe, expect, it } from 'vitest';
import { ImageSizeProbe } from '../../../loader/scan/image-size.ts';
import { randomFrom } from '../../support/random.ts';
import { chunkings } from './chunkings.ts';

const gif = Buffer.concat([
  Buffer.from('GIF89a'),
  Buffer.from([0x2c, 0x01, 0x20, 0x00, 0x80, 0, 0, 255, 255, 255, 0, 0, 0]),
  Buffer.from('2c00000000010001000002024401003b', 'hex'),
]);
const png = Buffer.concat([
  Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'),
  Buffer.from([0, 0, 0x02, 0x58, 0, 0, 0x01, 0x90, 8, 2, 0, 0, 0]),
  Buffer.alloc(200),
]);
const jpeg = Buffer.concat([
  Buffer.from('ffd8ffe000104a46494600010100000100010000', 'hex'),
  Buffer.from('ffe1', 'hex'),
  Buffer.from([0x10, 0x00]), // 4 KB of metadata before the frame header
  Buffer.alloc(0x1000 - 2),
  Buffer.from('ffc00011080140028003011100021101031101', 'hex'),
  Buffer.from('ffd9', 'hex'),
]);
const svg = Buffer.from(
  '<svg xmlns="http://www.w3.org/2000/svg" width="30" height="40"><g/></svg>',
);

describe('image size', () => {
  it.each([
    ['GIF', gif, { width: 300, height: 32 }],
    ['PNG', png, { width: 600, height: 400 }],
    ['JPEG', jpeg, { width: 640, height: 320 }],
    ['SVG', svg, { width: 30, height: 40 }],
    ['text', Buffer.from('404, no such image'), null],
    ['nothing', Buffer.alloc(0), null],
    ['a cut GIF', gif.subarray(0, 8), null],
    ['a GIF of no size', Buffer.concat([Buffer.from('GIF89a'), Buffer.alloc(7)]), null],
  ])('%s, in any chunking', (_name, bytes, size) => {
    for (const { name, chunks } of chunkings<Uint8Array>(bytes)) {
      const probe = new ImageSizeProbe();
      let told = 0;
      for (const chunk of chunks) if (probe.write(chunk)) told++;
      if (probe.end()) told++;
      expect(probe.size, name).toEqual(size);
      expect(told, `${name}: told once`).toBe(size === null ? 0 : 1);
    }
  });

  it('a GIF tells after ten bytes (GIF89a 18)', () => {
    const probe = new ImageSizeProbe();
    expect(probe.write(gif.subarray(0, 9))).toBe(false);
    expect(probe.write(gif.subarray(9, 10))).toBe(true);
    expect(probe.size).toEqual({ width: 300, height: 32 });
  });

  it('the bytes it was shown may be used again by their owner', () => {
    const probe = new ImageSizeProbe();
    const first = Buffer.from(gif.subarray(0, 8));
    probe.write(first);
    first.fill(0);
    probe.write(gif.subarray(8));
    expect(probe.size).toEqual({ width: 300, height: 32 });
  });

  it('what is no image is given up after 256 KB, in linear work', () => {
    const next = randomFrom(7);
    const noise = Buffer.from(Array.from({ length: 400_000 }, () => Math.floor(next() * 256)));
    noise.write('\xff\xd8\xff\xfe\xff\xff', 0, 'latin1'); // a JPEG comment that does not end
    const cpuMs = (length: number): number => {
      const began = process.cpuUsage();
      const probe = new ImageSizeProbe();
      for (let at = 0; at < length; at++) probe.write(noise.subarray(at, at + 1));
      probe.end();
      const { user, system } = process.cpuUsage(began);
      return (user + system) / 1_000;
    };
    // It takes some 100 ms; to copy all that came at each write would take seconds.
    expect(cpuMs(200_000)).toBeLessThan(1_500);
  });
});
