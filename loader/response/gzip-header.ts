// Where the compressed data of a gzip member begins (RFC 1952 2.3).

const most = 128 * 1024;
const [hasCrc, hasExtra, hasName, hasComment] = [2, 4, 8, 16];

/** @returns Length of the header, bytes; null: more bytes are needed; 0: it is no gzip header. */
export function gzipHeaderLength(bytes: Buffer): number | null {
  const isGzip = [0x1f, 0x8b, 8].every((byte, at) => at >= bytes.length || bytes[at] === byte);
  if (!isGzip || bytes.length > most) return 0;
  if (bytes.length < 12) return null;
  const flags = bytes[3] ?? 0;
  let at = 10;
  if (flags & hasExtra) at += 2 + bytes.readUInt16LE(at);
  for (const flag of [hasName, hasComment]) {
    if ((flags & flag) === 0) continue;
    const end = bytes.indexOf(0, at);
    if (end === -1) return null;
    at = end + 1;
  }
  if (flags & hasCrc) at += 2;
  return at <= bytes.length ? at : null;
}
