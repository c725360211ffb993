// Writes captures byte by byte, by the formats' own texts and without the product's code.

export interface Sent {
  atMs: number;
  up: boolean;
  flags?: string;
  seq?: number;
  ack?: number;
  data?: string | number;
  window?: number;
  options?: number[];
  port?: number;
}

/** Initial sequence numbers of Heidemann's trace. */
export const clientStart = 676_352_001;
export const serverStart = 1_807_168_001;
const letters: Record<string, number> = { F: 1, S: 2, R: 4, P: 8, A: 16 };

/** A TCP segment; sequence numbers are relative. A number as data: so many bytes, of which none are kept. */
export function segment(sent: Sent): { kept: Buffer; wireBytes: number } {
  const { up, flags = 'A', seq = 0, ack = 0, data = '', window = 16_384, options = [] } = sent;
  const payload = Buffer.from(typeof data === 'string' ? data : '', 'latin1');
  const head = Buffer.alloc(20 + options.length);
  const ports = [sent.port ?? 3199, 8080];
  if (!up) ports.reverse();
  head.writeUInt16BE(ports[0] as number, 0);
  head.writeUInt16BE(ports[1] as number, 2);
  const [own, other] = up ? [clientStart, serverStart] : [serverStart, clientStart];
  head.writeUInt32BE((own + seq) >>> 0, 4);
  head.writeUInt32BE(flags.includes('A') ? (other + ack) >>> 0 : 0, 8);
  head.writeUInt8((head.length / 4) << 4, 12);
  head.writeUInt8(
    [...flags].reduce((sum, letter) => sum | (letters[letter] ?? 0), 0),
    13,
  );
  head.writeUInt16BE(window, 14);
  Buffer.from(options).copy(head, 20);
  const dataBytes = typeof data === 'number' ? data : payload.length;
  return { kept: Buffer.concat([head, payload]), wireBytes: head.length + dataBytes };
}

export interface Kept {
  bytes: Buffer;
  wireBytes: number;
}

export function ipv4(sent: Sent, { options = 0, fragment = 0, protocol = 6 } = {}): Kept {
  const { kept, wireBytes } = segment(sent);
  const head = Buffer.alloc(20 + options);
  head.writeUInt8(0x40 | (head.length / 4), 0);
  head.writeUInt16BE(head.length + wireBytes, 2);
  head.writeUInt16BE(fragment, 6);
  head.writeUInt8(protocol, 9);
  const [client, server] = ['c0000201', 'c6336407'];
  head.write(sent.up ? client + server : server + client, 12, 'hex');
  return { bytes: Buffer.concat([head, kept]), wireBytes: head.length + wireBytes };
}

/** @param extensions Types of extension headers, each of 8 bytes */
export function ipv6(sent: Sent, extensions: number[] = []): Kept {
  const { kept, wireBytes } = segment(sent);
  const types = [...extensions, 6];
  const head = Buffer.alloc(40);
  head.writeUInt8(0x60, 0);
  head.writeUInt16BE(extensions.length * 8 + wireBytes, 4);
  head.writeUInt8(types[0] as number, 6);
  const [client, server] = ['20010db8000000000000000000000001', '20010db8000000000000000000000002'];
  head.write(sent.up ? client + server : server + client, 8, 'hex');
  const chain = extensions.map((_, i) =>
    Buffer.from([types[i + 1] as number, 0, 0, 0, 0, 0, 0, 0]),
  );
  const bytes = Buffer.concat([head, ...chain, kept]);
  return { bytes, wireBytes: bytes.length - kept.length + wireBytes };
}

/** In front of IP, by link type. */
export const links: Record<string, [linkType: number, head: (version: 4 | 6) => number[]]> = {
  Ethernet: [1, (version) => [...Array(12).fill(2), ...etherType(version)]],
  'Ethernet with two VLAN tags': [
    1,
    (version) => [...Array(12).fill(2), 0x88, 0xa8, 0, 5, 0x81, 0, 0, 6, ...etherType(version)],
  ],
  'raw IP': [101, () => []],
  'raw IPv4 or IPv6': [228, () => []],
  'Linux cooked v1': [113, (version) => [...Array(14).fill(0), ...etherType(version)]],
  'Linux cooked v2': [276, (version) => [...etherType(version), ...Array(18).fill(0)]],
  'BSD loopback': [0, (version) => [version === 4 ? 2 : 30, 0, 0, 0]],
  'OpenBSD loopback': [108, (version) => [0, 0, 0, version === 4 ? 2 : 24]],
};
const etherType = (version: 4 | 6) => (version === 4 ? [8, 0] : [0x86, 0xdd]);

export interface Timed extends Kept {
  atMs: number;
}

export function framed(frames: readonly Timed[], head: readonly number[]): Timed[] {
  return frames.map(({ atMs, bytes, wireBytes }) => ({
    atMs,
    bytes: Buffer.concat([Buffer.from(head), bytes]),
    wireBytes: head.length + wireBytes,
  }));
}

const startSeconds = 1_700_000_000;
const startNs = BigInt(startSeconds) * 1_000_000_000n;

function writer(little: boolean) {
  return (...numbers: [bytes: 2 | 4 | 8, value: number | bigint][]) =>
    Buffer.concat(
      numbers.map(([size, value]) => {
        const bytes = Buffer.alloc(size);
        if (size === 8) bytes.writeBigUInt64BE(BigInt(value));
        else bytes.writeUIntBE(Number(value), 0, size);
        return little ? bytes.reverse() : bytes;
      }),
    );
}

export function pcap(
  frames: readonly Timed[],
  { little = true, nano = false, linkType = 101 } = {},
): Buffer {
  const write = writer(little);
  const magic = nano ? 0xa1b23c4d : 0xa1b2c3d4;
  const head = write([4, magic], [2, 2], [2, 4], [4, 0], [4, 0], [4, 262_144], [4, linkType]);
  const records = frames.map(({ atMs, bytes, wireBytes }) => {
    const ticks = Math.round((atMs % 1000) * (nano ? 1e6 : 1e3));
    const seconds = startSeconds + Math.floor(atMs / 1000);
    return Buffer.concat([
      write([4, seconds], [4, ticks], [4, bytes.length], [4, wireBytes]),
      bytes,
    ]);
  });
  return Buffer.concat([head, ...records]);
}

export interface PcapngOptions {
  little?: boolean;
  linkType?: number;
  /** As in if_tsresol; undefined: not written, which means microseconds. */
  resolution?: number;
  simple?: boolean;
}

export function block(little: boolean, type: number, body: Buffer): Buffer {
  const write = writer(little);
  const padding = Buffer.alloc((4 - (body.length % 4)) % 4);
  const total = 12 + body.length + padding.length;
  return Buffer.concat([write([4, type], [4, total]), body, padding, write([4, total])]);
}

export function pcapng(
  frames: readonly Timed[],
  { little = true, linkType = 101, resolution, simple = false }: PcapngOptions = {},
): Buffer {
  const write = writer(little);
  const section = block(
    little,
    0x0a0d0d0a,
    write([4, 0x1a2b3c4d], [2, 1], [2, 0], [8, 0xffff_ffff_ffff_ffffn]),
  );
  const options =
    resolution === undefined
      ? []
      : [write([2, 9], [2, 1]), Buffer.from([resolution, 0, 0, 0]), write([2, 0], [2, 0])];
  const described = block(
    little,
    1,
    Buffer.concat([write([2, linkType], [2, 0], [4, 0]), ...options]),
  );
  const unknown = Buffer.concat([
    block(little, 0x0bad, Buffer.from('of another program')),
    block(little, 0x0bae, Buffer.alloc(0)),
  ]);
  const perSecond = ticksPerSecond(resolution ?? 6);
  const packets = frames.map(({ atMs, bytes, wireBytes }) => {
    if (simple) return block(little, 3, Buffer.concat([write([4, wireBytes]), bytes]));
    const ns = startNs + BigInt(Math.round(atMs * 1e6));
    const ticks = (ns * perSecond) / 1_000_000_000n;
    const [high, low] = [ticks >> 32n, ticks & 0xffff_ffffn];
    const head = write([4, 0], [4, high], [4, low], [4, bytes.length], [4, wireBytes]);
    return block(little, 6, Buffer.concat([head, bytes]));
  });
  return Buffer.concat([section, described, unknown, ...packets]);
}

function ticksPerSecond(resolution: number): bigint {
  const exponent = BigInt(resolution & 0x7f);
  return (resolution & 0x80 ? 2n : 10n) ** exponent;
}

const request = `GET /a.gif HTTP/1.1\r\nHost: a\r\n${'x'.repeat(22)}`;
const answer = `HTTP/1.1 200 OK\r\n${'x'.repeat(209)}`;

/** Heidemann 1996, figure 2: the short initial segment, and what follows it up to the end. */
export const shortFirstSegment: readonly Sent[] = [
  { atMs: 0, up: true, flags: 'S', options: [2, 4, 5, 180] },
  { atMs: 0.251, up: false, flags: 'SA', ack: 1, options: [2, 4, 5, 180] },
  { atMs: 0.46, up: true, seq: 1, ack: 1 },
  { atMs: 1.11, up: true, flags: 'PA', seq: 1, ack: 1, data: request },
  { atMs: 3.285, up: false, flags: 'PA', seq: 1, ack: 53, data: answer },
  { atMs: 4.911, up: false, seq: 227, ack: 53, data: 1460 },
  { atMs: 189.201, up: true, seq: 53, ack: 1687 },
  { atMs: 190.647, up: false, seq: 1687, ack: 53, data: 1460 },
  { atMs: 191.879, up: false, seq: 3147, ack: 53, data: 1460 },
];

export const inIpv4 = (sent: readonly Sent[]): Timed[] =>
  sent.map((each) => ({ atMs: each.atMs, ...ipv4(each) }));
