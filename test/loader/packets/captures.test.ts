// Captures in, connections out: every format, link and IP version gives the same; whatever is broken is told.

import { expect, it } from 'vitest';
import { type Capture, captureOf } from '../../../loader/packets/capture.ts';
import type { TcpConnection } from '../../../loader/packets/connections.ts';
import { factsOf } from '../../../loader/packets/facts.ts';
import { packetLines } from '../../../loader/packets/packets-text.ts';
import { randomFrom } from '../../support/random.ts';
import {
  block,
  framed,
  inIpv4,
  ipv4,
  ipv6,
  links,
  pcap,
  pcapng,
  type Sent,
  shortFirstSegment,
} from './capture-files.ts';

/** In pieces, so that every length is met across their bounds. */
async function* pieces(bytes: Buffer, size = 4096): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}
const read = (bytes: Buffer, size?: number) => captureOf(pieces(bytes, size));
const sent = (packets: readonly Sent[]) => read(pcap(inIpv4(packets)));
const listed = ({ connections }: Capture) => connections.flatMap((each) => [...packetLines(each)]);
const figure = inIpv4(shortFirstSegment);
/** Of the only connection. */
const factsFrom = async (packets: readonly Sent[]) =>
  factsOf((await sent(packets)).connections[0] as TcpConnection);

/** The lines and the stall of Heidemann 1996, figure 2. */
const asInThePaper = [
  '# 1: client 192.0.2.1:3199, server 198.51.100.7:8080, from 0.00 ms',
  '  0.000000 client > server: S 0:0(0) win 16384 <mss 1460>',
  '  0.000251 server > client: S 0:0(0) ack 1 win 16384 <mss 1460>',
  '  0.000460 client > server: . ack 1 win 16384',
  '  0.001110 client > server: P 1:53(52) ack 1 win 16384 GET /a.gif',
  '  0.003285 server > client: P 1:227(226) ack 53 win 16384 200 OK',
  '  0.004911 server > client: . 227:1687(1460) ack 53 win 16384',
  '# the server waited 184 ms for an acknowledgment that the client delayed',
  '  0.189201 client > server: . ack 1687 win 16384',
  '  0.190647 server > client: . 1687:3147(1460) ack 53 win 16384',
  '  0.191879 server > client: . 3147:4607(1460) ack 53 win 16384',
];

it.each<[string, Buffer]>([
  ['pcap, little endian', pcap(figure, { little: true })],
  ['pcap, big endian', pcap(figure, { little: false })],
  ['pcap, nanoseconds', pcap(figure, { nano: true })],
  ['pcap, nanoseconds, big endian', pcap(figure, { nano: true, little: false })],
  ['pcapng, little endian', pcapng(figure)],
  ['pcapng, big endian', pcapng(figure, { little: false })],
  ['pcapng, nanoseconds', pcapng(figure, { resolution: 9 })],
  ['pcapng, ticks of 2^-30 s', pcapng(figure, { resolution: 0x80 | 30 })],
])('%s; unknown blocks are skipped', async (_, bytes) => {
  const capture = await read(bytes);
  expect(listed(capture)).toEqual(asInThePaper);
  expect(capture).toMatchObject({ startedAtMs: 1_700_000_000_000, cut: null, fault: null });
});

it('pcapng: sections of both byte orders may follow each other', async () => {
  const half = figure.slice(0, 4);
  const rest = figure.slice(4);
  const capture = await read(Buffer.concat([pcapng(half), pcapng(rest, { little: false })]));
  expect(listed(capture)).toEqual(asInThePaper);
});

it('the same for chunks of any size', async () => {
  for (const size of [1, 2, 3, 7, 64]) {
    expect(listed(await read(pcap(figure), size))).toEqual(asInThePaper);
    expect(listed(await read(pcapng(figure), size))).toEqual(asInThePaper);
  }
});

it.each(Object.keys(links))('link type: %s', async (name) => {
  const [linkType, head] = links[name] ?? [0, () => []];
  const bytes = pcap(framed(figure, head(4)), { linkType });
  expect(listed(await read(bytes))).toEqual(asInThePaper);
  const sixth = shortFirstSegment.map((each) => ({ atMs: each.atMs, ...ipv6(each) }));
  const lines = listed(await read(pcapng(framed(sixth, head(6)), { linkType })));
  expect(lines[0]).toContain('client [2001:db8::1]:3199, server [2001:db8::2]:8080');
  expect(lines.slice(1)).toEqual(asInThePaper.slice(1));
});

it('IPv4 options, padding of Ethernet, and extension headers of IPv6 are skipped', async () => {
  const packets = shortFirstSegment.map((each, i) => {
    const { bytes, wireBytes } = i % 2 === 0 ? ipv4(each, { options: 8 }) : ipv4(each);
    const padded = Buffer.concat([bytes, Buffer.alloc(each.data === undefined ? 6 : 0)]);
    return { atMs: each.atMs, bytes: padded, wireBytes: wireBytes + 6 };
  });
  expect(listed(await read(pcap(packets)))).toEqual(asInThePaper);
  const extended = shortFirstSegment.map((each) => ({
    atMs: each.atMs,
    ...ipv6(each, [0, 43, 44, 60]),
  }));
  expect(listed(await read(pcap(extended))).slice(1)).toEqual(asInThePaper.slice(1));
});

it('what is no TCP segment is counted', async () => {
  const [one] = shortFirstSegment as [Sent];
  const short = ipv4(one);
  const frames = [
    { atMs: 0, ...ipv4(one) },
    { atMs: 1, ...ipv4(one, { fragment: 0x2000 }) },
    { atMs: 2, ...ipv4(one, { fragment: 100 }) },
    { atMs: 3, ...ipv4(one, { protocol: 17 }) },
    { atMs: 4, bytes: short.bytes.subarray(0, 30), wireBytes: short.wireBytes },
  ];
  const { skipped, frames: read_, connections } = await read(pcap(frames));
  expect(skipped).toEqual({ other: 1, fragment: 1, short: 1 });
  expect([read_, connections[0]?.packets.length]).toEqual([5, 2]);
});

it('sequence numbers go on behind 2^32', async () => {
  const far = 2 ** 32 - 1_807_168_001 - 100;
  const { connections } = await sent([
    { atMs: 0, up: false, seq: far, ack: 1, data: 300 },
    { atMs: 1, up: false, seq: far + 300, ack: 1, data: 300 },
    { atMs: 2, up: true, seq: 1, ack: far + 600 },
  ]);
  expect(connections[0]?.packets.map(({ seq, ack }) => [seq, ack])).toEqual([
    [1, 1],
    [301, 1],
    [1, 601],
  ]);
});

it('client is who sent the SYN; without it, who has the higher port', async () => {
  const [syn, synAck, ack] = shortFirstSegment as [Sent, Sent, Sent];
  const high = (packets: Sent[]) => packets.map((each) => ({ ...each, port: 40_000 }));
  for (const packets of [[syn, synAck], [synAck], [ack], [{ ...ack, up: false }]]) {
    const { connections } = await sent(high(packets));
    expect(connections.map(({ client }) => client)).toEqual(['192.0.2.1:40000']);
  }
  // Port 80 opens a connection to 8080.
  const { connections } = await sent([{ ...syn, port: 80 }]);
  expect(connections[0]?.client).toBe('192.0.2.1:80');
});

it('ports that are used again are another connection; a SYN that is sent again is not', async () => {
  const [syn] = shortFirstSegment as [Sent];
  const later = [
    { ...syn, atMs: 1000 },
    { ...syn, atMs: 3000, seq: 5000 },
  ];
  const { connections } = await sent([syn, ...later]);
  expect(connections.map(({ packets, startMs }) => [packets.length, startMs])).toEqual([
    [2, 0],
    [1, 3000],
  ]);
  expect(connections[0] && factsOf(connections[0]).stalls).toEqual([
    { kind: 'again', by: 'client', fromMs: 0, toMs: 1000 },
  ]);
});

const opened = shortFirstSegment.slice(0, 3);
const data = (atMs: number, seq: number, dataBytes = 100): Sent => ({
  ...{ atMs, up: false, seq, ack: 1, data: dataBytes },
});
const orders = async (packets: Sent[]) => {
  const { connections } = await sent([...opened, ...packets]);
  return connections[0]?.packets
    .slice(3)
    .map(({ order }) => order ?? '')
    .join();
};

it('what was sent before is a retransmission; what fills a hole at once is out of order', async () => {
  expect(await orders([data(10, 1), data(11, 101), data(300, 1)])).toBe(',,again');
  expect(await orders([data(10, 1), data(11, 201), data(11.2, 101)])).toBe(',,out of order');
  expect(await orders([data(10, 1), data(11, 201), data(250, 101)])).toBe(',,again');
  const fin: Sent = { atMs: 10, up: false, flags: 'FA', seq: 1, ack: 1 };
  const both: Sent = { atMs: 11, up: true, seq: 1, ack: 2 };
  expect(await orders([fin, both, { ...fin, atMs: 300 }])).toBe(',,again');
  const acknowledged: Sent = { atMs: 20, up: true, seq: 1, ack: 101 };
  expect(await orders([data(10, 1), acknowledged, data(9000, 100, 1)])).toBe(',,keep-alive');
});

it('facts of a connection', async () => {
  const facts = await factsFrom([
    ...shortFirstSegment,
    { atMs: 195, up: true, seq: 53, ack: 4607, window: 0 },
    { atMs: 400, up: true, seq: 53, ack: 4607 },
    { atMs: 401, up: false, seq: 4607, ack: 53, data: 10 },
    { atMs: 402, up: true, seq: 53, ack: 4617 },
    { atMs: 1000, up: false, flags: 'FA', seq: 4617, ack: 53 },
    { atMs: 1001, up: true, flags: 'R', seq: 53 },
  ]);
  expect(facts).toMatchObject({
    up: {
      ...{ packets: 8, bytes: 52, again: 0, outOfOrder: 0 },
      ...{ zeroWindows: 1, syn: 1, fin: 0, reset: 1 },
    },
    down: { packets: 7, bytes: 4616, zeroWindows: 0, syn: 1, fin: 1, reset: 0 },
    lastMs: 1001,
    handshakeMs: 0.46,
    ended: 'RST',
    stalls: [
      { kind: 'acknowledgment', by: 'server', fromMs: 4.911, toMs: 189.201 },
      { kind: 'window', by: 'client', fromMs: 195, toMs: 400 },
      { kind: 'idle', by: null, fromMs: 402, toMs: 1000 },
    ],
  });
});

it('a lost SYN counts in the handshake, and not in the round trip', async () => {
  const [syn, ...rest] = shortFirstSegment as [Sent, ...Sent[]];
  const later = rest.map((each) => ({ ...each, atMs: each.atMs + 1000 }));
  expect(await factsFrom([syn, { ...syn, atMs: 1000 }, ...later])).toMatchObject({
    handshakeMs: 1000.46,
    stalls: [{ kind: 'again', by: 'client' }, { kind: 'acknowledgment' }],
  });
  const slow = later.map((each) => ({
    ...each,
    atMs: each.atMs < 1002 ? each.atMs : each.atMs + 500,
  }));
  const answered = await factsFrom([syn, { ...syn, atMs: 1000 }, ...slow]);
  expect(answered.stalls).toMatchObject([
    { kind: 'again' },
    { kind: 'answer', fromMs: 1001.11, toMs: 1503.285 },
    { kind: 'acknowledgment' },
  ]);
});

it('a server that computes has answered late, and waited for nothing', async () => {
  const { stalls } = await factsFrom([
    ...shortFirstSegment.slice(0, 4),
    { atMs: 41, up: false, seq: 1, ack: 53 },
    { ...data(300, 1), ack: 53 },
  ]);
  expect(stalls).toEqual([{ kind: 'answer', by: 'server', fromMs: 1.11, toMs: 300 }]);
});

it('the round trip is no stall, wherever the capture was taken', async () => {
  const far = (atServer: boolean): Sent[] => {
    const [out, back] = atServer ? [0, 200] : [200, 0];
    return [
      { atMs: 0, up: true, flags: 'S' },
      { atMs: out, up: false, flags: 'SA', ack: 1 },
      { atMs: out + back, up: true, seq: 1, ack: 1 },
      { atMs: 201, up: true, seq: 1, ack: 1, data: 10 },
      { atMs: 202 + out, up: false, seq: 1, ack: 11, data: 500 },
      { atMs: 203 + out + back, up: true, seq: 11, ack: 501 },
      { atMs: 204 + 2 * out + back, up: false, seq: 501, ack: 11, data: 500 },
    ];
  };
  for (const atServer of [true, false]) {
    expect((await factsFrom(far(atServer))).stalls).toEqual([]);
  }
});

it('windows have the scale of the handshake (RFC 7323), and none without it', async () => {
  const scaled = (shift: number): Partial<Sent> => ({ options: [1, 3, 3, shift] });
  const [syn, synAck, ack] = opened as [Sent, Sent, Sent];
  const known = await sent([
    { ...syn, ...scaled(7) },
    { ...synAck, ...scaled(2) },
    { ...ack, window: 10 },
  ]);
  expect(known.connections[0]).toMatchObject({
    windows: 'known',
    packets: [{}, {}, { window: 1280 }],
  });
  const one = await sent([{ ...syn, ...scaled(7) }, synAck, { ...ack, window: 10 }]);
  expect(one.connections[0]?.packets[2]?.window).toBe(10);
  expect((await sent([ack])).connections[0]?.windows).toBe('unscaled');
  expect((await sent([{ ...ack, window: 0 }])).connections[0]?.windows).toBe('unknown');
});

it('selective acknowledgments are read (RFC 2018)', async () => {
  const block = Buffer.alloc(8);
  block.writeUInt32BE(1_807_168_001 + 201, 0);
  block.writeUInt32BE(1_807_168_001 + 301, 4);
  const ack: Sent = { atMs: 12, up: true, seq: 1, ack: 101, options: [1, 1, 5, 10, ...block] };
  const { connections } = await sent([...opened, data(10, 1), data(11, 201), ack]);
  expect(connections[0]?.packets.at(-1)?.sacks).toEqual([[201, 301]]);
});

it.each([
  ['GET /a b.gif HTTP/1.1\r\n', null],
  ['GET /a.gif HTTP/1.1\r\n\r\nGET /b.gif HTTP/1.1\r\n\r\n', 'GET /a.gif and 1 more'],
  ['GET /\x1b[2J\xff HTTP/1.1\r\n', 'GET /\\u{1b}[2J\\u{ff}'],
  [`GET /${'a'.repeat(500)} HTTP/1.1\r\n`, `GET /${'a'.repeat(25)}\u2026${'a'.repeat(29)}`],
  ['\x16\x03\x01\x00\x05hello', 'TLS handshake'],
  ['QUIT\r\n', null],
])('%j carries %j', async (text, carries) => {
  const { connections } = await sent([
    { atMs: 0, up: true, seq: 1, ack: 1, data: text, port: 40_000 },
  ]);
  expect(connections[0]?.packets[0]?.carries).toBe(carries);
});

it('a file that is cut off gives what is before, and says where', async () => {
  for (const whole of [pcap(figure), pcapng(figure)]) {
    const { cut, fault, connections } = await read(whole.subarray(0, -10));
    expect(cut).toMatch(/^the file is cut off at byte \d+: the packet at byte \d+ is not whole$/);
    expect([fault, connections[0]?.packets.length]).toEqual([null, 8]);
  }
});

it('no more packets are read than the most', async () => {
  const capture = await captureOf(pieces(pcap(figure)), 5);
  expect([capture.isLimited, capture.frames]).toEqual([true, 5]);
  const all = await captureOf(pieces(pcap(figure)), 9);
  expect([all.isLimited, all.frames]).toEqual([false, 9]);
});

const hostilePcap = pcap(figure);
hostilePcap.writeUInt32LE(0xffff_fff0, 24 + 8);
const otherEnd = block(true, 0x0bad, Buffer.alloc(8));
otherEnd.writeUInt32LE(16, otherEnd.length - 4);
const unordered = pcapng([]);
unordered.writeUInt32LE(7, 8);

const readLinks = 'Ethernet, raw IP, Linux cooked and loopback are read';
const hostileBlock = Buffer.concat([pcapng([]), Buffer.from('0600000000ffffff', 'hex')]);
const noLength = Buffer.concat([pcapng([]), Buffer.alloc(20)]);
const twoLengths = Buffer.concat([pcapng([]), otherEnd]);
const noInterface = Buffer.concat([pcapng([]).subarray(0, 28), pcapng(figure).subarray(92)]);

it.each<[string, Buffer, string]>([
  ['empty', Buffer.alloc(0), 'the file is empty'],
  [
    'text',
    Buffer.from('GET / HTTP'),
    'the file is neither pcap nor pcapng (it begins with 47455420)',
  ],
  [
    'gzip',
    Buffer.from('1f8b08000000', 'hex'),
    'the file is compressed: unpack it first (it begins with 1f8b0800)',
  ],
  ['two bytes', Buffer.from('ab'), 'the file ends in its header, at byte 2'],
  ['half a header', pcap([]).subarray(0, 20), 'the file ends in its header, at byte 20'],
  [
    'USB',
    pcap(figure, { linkType: 220 }),
    `at byte 24: a packet of the link type 220; ${readLinks}`,
  ],
  [
    'a hostile length',
    hostilePcap,
    'at byte 24: a packet of 4294967280 bytes; at most 16777216 are read',
  ],
  [
    'a hostile block',
    hostileBlock,
    'at byte 92: a block of 4294967040 bytes; at most 16777216 are read',
  ],
  ['a block of no length', noLength, 'at byte 92: a block has the length 0'],
  [
    'a block with two lengths',
    twoLengths,
    'at byte 92: a block of 20 bytes ends with another length',
  ],
  ['no byte order', unordered, 'at byte 0: a section has no byte order'],
  ['no time', pcapng(figure, { simple: true }), 'at byte 92: a packet without a time'],
  ['no interface', noInterface, 'at byte 28: a packet of the interface 0, which is not described'],
])('%s: a sentence with the place', async (_, bytes, sentence) => {
  expect((await read(bytes)).fault).toBe(sentence);
});

it('2,000 damaged files: no crash, no hang, and always an end', async () => {
  const seed = Number(process.env.SEED ?? 1997);
  const random = randomFrom(seed);
  const below = (most: number) => Math.floor(random() * most);
  const sixth = shortFirstSegment.map((each) => ({ atMs: each.atMs, ...ipv6(each, [0, 44]) }));
  const [ethernet, head] = links['Ethernet with two VLAN tags'] ?? [1, () => []];
  const whole = [
    pcap(figure),
    pcapng(figure, { resolution: 9 }),
    pcapng(sixth, { little: false }),
    pcap(framed(figure, head(4)), { linkType: ethernet }),
  ];
  for (let i = 0; i < 2000; i++) {
    let bytes = Buffer.from(whole[i % whole.length] as Buffer);
    for (let n = 1 + below(8); n > 0; n--) {
      const at = below(bytes.length);
      if (random() < 0.1)
        bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(below(bytes.length))]);
      else if (bytes.length > 4)
        bytes.writeUInt8([0, 255, 128, below(256)][below(4)] as number, at % bytes.length);
    }
    const capture = await read(bytes, 1 + below(500));
    for (const connection of capture.connections) {
      factsOf(connection);
      for (const line of packetLines(connection)) expect(line).toMatch(/^[\x20-\x7e\u2026]*$/);
    }
  }
}, 20_000);
