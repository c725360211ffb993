// Takes a frame of a capture apart: the headers of its link layer, of IPv4 or IPv6, and of TCP. Every length is checked
// against the bytes that are there; of a frame that is no TCP segment, it says why.
//
// Sources: RFC 791 (IPv4), RFC 8200 (IPv6), RFC 9293 (TCP), RFC 7323 (window scale), RFC 2018 (SACK), IEEE 802.1Q, and
// tcpdump's list of link types.

/** A packet of the link layer, as the capturing machine recorded it. */
export interface Frame {
  /** Time of the frame, ns since 1970. */
  atNs: bigint;
  /** LINKTYPE_ value, which says with what header the frame begins. */
  linkType: number;
  /** The bytes of the frame that the capture kept; the buffer is valid until the next frame. */
  bytes: Buffer;
  /** Length of the frame on the wire, bytes. */
  wireBytes: number;
}

export type Segment = Exclude<ReturnType<typeof fromTcp>, string>;

/** Why a frame is no TCP segment: another protocol, an IP fragment without the TCP header, or too few bytes kept. */
type SkippedFrame = 'other' | 'fragment' | 'short';

export const flag = { fin: 1, syn: 2, reset: 4, push: 8, ack: 16 } as const;

/** The link types that are read (loopback: 0 and 108, Ethernet: 1, Linux cooked: 113 and 276, raw IP: 101, 228 and
 *  229): the length of each header, bytes, and the offset of the EtherType in it, if it has one. */
export const linkHeaders: Readonly<Record<number, readonly [bytes: number, etherTypeAt?: number]>> =
  { 0: [4], 1: [14, 12], 101: [0], 108: [4], 113: [16, 14], 228: [0], 229: [0], 276: [20, 0] };
const rawIp = 101;
const etherIpv4 = 0x0800;
const etherIpv6 = 0x86dd;
const vlanTags = new Set([0x8100, 0x88a8, 0x9100]);
const tcp = 6;

export function segmentOf(frame: Omit<Frame, 'atNs'>): Segment | SkippedFrame {
  const { linkType, bytes, wireBytes } = frame;
  const at = networkOffset(linkType, bytes);
  if (typeof at !== 'number') return at;
  if (at >= bytes.length) return 'short';
  const version = bytes.readUInt8(at) >> 4;
  if (version === 4) return fromIpv4(bytes.subarray(at), wireBytes - at);
  return version === 6 ? fromIpv6(bytes.subarray(at), wireBytes - at) : 'other';
}

/** Takes an IP packet apart; null: it is no TCP segment. */
export function tcpOf(bytes: Buffer): Segment | null {
  const segment = segmentOf({ linkType: rawIp, bytes, wireBytes: bytes.length });
  return typeof segment === 'string' ? null : segment;
}

/** Returns the offset of the IP header, or why there is none. */
function networkOffset(linkType: number, bytes: Buffer): number | SkippedFrame {
  const [headerBytes = 0, etherTypeAt] = linkHeaders[linkType] ?? [];
  if (etherTypeAt === undefined) return headerBytes;
  if (bytes.length < headerBytes) return 'short';
  let [etherType, at] = [bytes.readUInt16BE(etherTypeAt), headerBytes];
  while (vlanTags.has(etherType)) {
    if (bytes.length < at + 4) return 'short';
    etherType = bytes.readUInt16BE(at + 2);
    at += 4;
  }
  return etherType === etherIpv4 || etherType === etherIpv6 ? at : 'other';
}

function fromIpv4(bytes: Buffer, wireBytes: number): Segment | SkippedFrame {
  if (bytes.length < 20) return 'short';
  const headBytes = (bytes.readUInt8(0) & 15) * 4;
  if (bytes.readUInt8(9) !== tcp || headBytes < 20) return 'other';
  if ((bytes.readUInt16BE(6) & 0x1fff) !== 0) return 'fragment';
  // The IP header's length is 0 if the sender was recorded before its network card split the data into packets.
  const total = bytes.readUInt16BE(2) || wireBytes;
  return fromTcp(bytes, headBytes, total - headBytes, [12, 16, 20]);
}

function fromIpv6(bytes: Buffer, wireBytes: number): Segment | SkippedFrame {
  if (bytes.length < 40) return 'short';
  const total = 40 + (bytes.readUInt16BE(4) || wireBytes - 40);
  let [next, at] = [bytes.readUInt8(6), 40];
  while (extensions.has(next)) {
    if (bytes.length < at + 8) return 'short';
    const length = bytes.readUInt8(at + 1);
    if (next === fragment && (bytes.readUInt16BE(at + 2) & 0xfff8) !== 0) return 'fragment';
    const header = next;
    next = bytes.readUInt8(at);
    at += header === fragment ? 8 : header === authentication ? (length + 2) * 4 : (length + 1) * 8;
  }
  return next === tcp ? fromTcp(bytes, at, total - at, [8, 24, 40]) : 'other';
}

const fragment = 44;
const authentication = 51;
/** The IPv6 extension headers: hop-by-hop options, routing, fragment, authentication, destination options. */
const extensions = new Set([0, 43, fragment, authentication, 60]);

/** Reads the TCP segment that begins at `at`. @param wireBytes Length of its header and payload on the wire */
function fromTcp(
  bytes: Buffer,
  at: number,
  wireBytes: number,
  [source, target, end]: [number, number, number],
) {
  if (bytes.length < at + 20) return 'short';
  const headBytes = (bytes.readUInt8(at + 12) >> 4) * 4;
  if (headBytes < 20 || wireBytes < headBytes) return 'other';
  const endpoint = (from: number, to: number, port: number) =>
    bytes.toString('latin1', from, to) + String.fromCharCode(port);
  const [fromPort, toPort] = [bytes.readUInt16BE(at), bytes.readUInt16BE(at + 2)];
  const dataBytes = wireBytes - headBytes;
  return {
    /** The sender's address and port as bytes in a string, a short key for maps; `to`: the receiver's. */
    from: endpoint(source, target, fromPort),
    to: endpoint(target, end, toPort),
    fromPort,
    toPort,
    /** Length of the payload on the wire, bytes. */
    dataBytes,
    seq: bytes.readUInt32BE(at + 4),
    ack: bytes.readUInt32BE(at + 8),
    flags: bytes.readUInt8(at + 13),
    window: bytes.readUInt16BE(at + 14),
    /** As much of the payload as the capture kept. Ethernet pads short frames, so more bytes may follow it. */
    payload: bytes.subarray(at + headBytes, at + headBytes + dataBytes),
    ...optionsOf(bytes.subarray(at + 20, at + headBytes)),
  };
}

function optionsOf(bytes: Buffer) {
  const options = {
    maxSegmentBytes: null as number | null,
    /** Shift count of the window scale option; null: the segment does not offer it. */
    windowScale: null as number | null,
    /** Ranges of sequence numbers that arrived after a gap: the first number, and the first one after the range. */
    sacks: [] as [from: number, to: number][],
  };
  let length = 1;
  for (let at = 0; at < bytes.length; at += length) {
    const kind = bytes.readUInt8(at);
    if (kind === 0) break;
    length = kind === 1 ? 1 : (bytes[at + 1] ?? 0);
    if (length < Math.min(2, kind) || at + length > bytes.length) break;
    if (kind === 2 && length === 4) options.maxSegmentBytes = bytes.readUInt16BE(at + 2);
    // A shift count of more than 14 counts as 14 (RFC 7323 2.3).
    if (kind === 3 && length === 3) options.windowScale = Math.min(14, bytes.readUInt8(at + 2));
    for (let block = at + 2; kind === 5 && block + 8 <= at + length; block += 8) {
      options.sacks.push([bytes.readUInt32BE(block), bytes.readUInt32BE(block + 4)]);
    }
  }
  return options;
}
