// The acknowledgments of a client that delays them, as bytes and over a link of this machine; a link's other settings.

import { describe, expect, it } from 'vitest';
import { delayedAcks } from '../../../cli/compare/delayed-acks.ts';
import { openLink, whyNoLink } from '../../../cli/compare/emulated-link.ts';
import { LineProcess } from '../../../cli/compare/line-process.ts';
import { type LinkSettings, parseLinks } from '../../../cli/compare/links.ts';
import { type Segment, tcpOf } from '../../../loader/packets/segment.ts';

const port = 5000;
const [fin, syn, ack] = [1, 2, 16];

/** A packet of IPv4 and TCP without options. */
function packet(flags: number, number: number, dataBytes = 0, isUp = true): Buffer {
  const bytes = Buffer.alloc(40 + dataBytes);
  bytes[0] = 0x45;
  bytes[9] = 6;
  bytes.writeUInt16BE(isUp ? port : 80, 20);
  bytes.writeUInt16BE(isUp ? 80 : port, 22);
  bytes.writeUInt32BE(number, isUp ? 28 : 24);
  bytes[32] = 0x50;
  bytes[33] = flags;
  return bytes;
}

const segment = (bytes: Buffer) => tcpOf(bytes) as Segment;

describe('a client that delays acknowledgments by 200 ms', () => {
  const opened = () => {
    const acks = delayedAcks(200, 1000);
    const passes = (bytes: Buffer) => acks.passes(segment(bytes), bytes, 0);
    passes(packet(syn, 0));
    passes(packet(ack, 4_000_000_000)); // of the handshake
    return { ...acks, passes };
  };

  it('acknowledges every second full segment at once', () => {
    const acks = opened();
    expect(acks.passes(packet(ack, 4_000_001_000))).toBe(false);
    expect(acks.passes(packet(ack, 4_000_002_000))).toBe(true);
    expect(acks.beatsAt(200)).toEqual([]);
  });

  it('acknowledges a lone segment at the next beat, once', () => {
    const acks = opened();
    const lone = packet(ack, 4_000_000_500);
    expect(acks.passes(lone)).toBe(false);
    expect(acks.waitMs(50)).toBe(150);
    expect(acks.beatsAt(199)).toEqual([]);
    expect(acks.beatsAt(200)).toEqual([lone]);
    expect(acks.beatsAt(400)).toEqual([]);
    expect(acks.waitMs(400)).toBe(Number.POSITIVE_INFINITY);
  });

  it('lets data carry it, and what comes twice', () => {
    const acks = opened();
    expect(acks.passes(packet(ack, 4_000_000_500))).toBe(false);
    expect(acks.passes(packet(ack, 4_000_000_500, 10))).toBe(true);
    expect(acks.beatsAt(200)).toEqual([]);
    expect(acks.passes(packet(ack, 4_000_000_500))).toBe(true);
  });

  it('acknowledges the end at once, over the wrap of the numbers', () => {
    const acks = opened();
    acks.passes(packet(ack, 4_294_967_000, 1));
    acks.seeFromServer(segment(packet(fin | ack, 4_294_967_000, 500, false)));
    expect(acks.passes(packet(ack, 4_294_967_100))).toBe(false);
    expect(acks.passes(packet(ack, (4_294_967_501 >>> 0) % 2 ** 32))).toBe(true);
  });
});

const served = `
const server = require('node:net').createServer((socket) => {
  socket.on('error', () => {});
  socket.once('data', () => socket.end(Buffer.alloc(30_000)));
});
server.listen(8080, '0.0.0.0', () => console.log('up'));
process.stdin.resume().on('end', () => process.exit());`;
/** Three connections, one after the other. */
const asked = (host: string) => `
let [bytes, ends] = [0, 0];
const ask = () => require('node:net').connect(8080, '${host}', function () { this.write('x'); })
  .on('data', (data) => { bytes += data.length; })
  .on('close', () => (++ends < 3 ? ask() : console.log(bytes)));
ask();`;

describe.skipIf(whyNoLink() !== null)('over a link', () => {
  it('its size of packets, its window and its late acknowledgments are those asked for', async () => {
    const counts = [];
    let tookMs = 0;
    for (const settings of parseLinks('lan:mtu=576,lan:mtu=576:window=1:ack=1000ms')) {
      await using link = await openLink(settings);
      const at = (end: 'client' | 'server', script: string) =>
        new LineProcess(link.at(end, [process.execPath, '-e', script]));
      await using server = at('server', served);
      await server.nextLine(10_000);
      await link.counts();
      const began = performance.now();
      await using client = at('client', asked(link.serverAddress));
      expect(await client.nextLine(20_000)).toBe('90000');
      tookMs = performance.now() - began;
      counts.push(await link.counts());
    }
    for (const each of counts) {
      // 30,000 bytes in segments of at most 524.
      expect(each.down.packets).toBeGreaterThanOrEqual(3 * 58);
      expect(each.up.connections).toBe(3);
    }
    // A first segment is alone, so it is acknowledged at a beat, once a second, or once it comes again, after 200 ms.
    expect(tookMs).toBeGreaterThan(400);
  });

  it('two of one process are apart', async () => {
    const [settings] = parseLinks('lan') as [LinkSettings];
    const both = await Promise.all([openLink(settings), openLink(settings)]);
    for (const link of both) expect((await link.counts()).up.connections).toBe(0);
    await Promise.all(both.map((link) => link[Symbol.asyncDispose]()));
  });

  it.each([
    ['10mbit/20ms:reorder=20%', true],
    ['10mbit/20ms:reorder=20%:up-reorder=0%', false],
    ['10mbit/20ms:up-reorder=20%', true],
  ])('%s: packets of the client overtake each other: %s; and all arrive', async (text, isMixed) => {
    const [settings] = parseLinks(text);
    await using link = await openLink(settings as LinkSettings);
    const receive = `
      const seen = [];
      const socket = require('node:dgram').createSocket('udp4');
      socket.on('message', (data) => { if (seen.push(data[0]) === 50) console.log(seen.join()); });
      socket.bind(8080, () => console.log('up'));
      process.stdin.resume().on('end', () => process.exit());`;
    const send = `
      const socket = require('node:dgram').createSocket('udp4');
      for (let i = 0; i < 50; i++) socket.send(Buffer.alloc(1000, i), 8080, '${link.serverAddress}');
      process.stdin.resume().on('end', () => process.exit());`;
    await using server = new LineProcess(link.at('server', [process.execPath, '-e', receive]));
    await server.nextLine(10_000);
    await using _client = new LineProcess(link.at('client', [process.execPath, '-e', send]));
    const order = (await server.nextLine(10_000)).split(',').map(Number);
    const sorted = order.toSorted((a, b) => a - b);
    expect(sorted).toEqual(Array.from({ length: 50 }, (_, index) => index));
    // That none of 50 is overtaken happens once in 70,000 times.
    expect(order.join() !== sorted.join()).toBe(isMixed);
  });
});
