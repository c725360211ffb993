// Evaluates a Range field for a representation (RFC 9110 14). Pure. A request for several ranges gets the whole
// representation, as 14.2 permits: any client can use it, while multipart/byteranges costs a boundary and a header
// per part and lets many small or overlapping parts multiply the work (14.2, 17.15). Adjacent or overlapping ranges
// are merged into one.

import parseRange from 'range-parser';

export interface ByteRange {
  readonly firstByte: number;
  /** Inclusive. */
  readonly lastByte: number;
}

export function byteRange(
  field: string | undefined,
  sizeBytes: number,
): ByteRange | 'whole' | 'unsatisfiable' {
  // An empty representation has no byte to select; a server may ignore Range (14.2).
  if (field === undefined || sizeBytes === 0) return 'whole';
  if (!/^bytes=/i.test(field)) return 'whole';
  // 14.1.2: a suffix longer than the representation selects all of it; range-parser would skip it.
  const clamped = field.replace(/([=,]\s*)-(\d+)/g, (_, before: string, digits: string) => {
    return `${before}-${Math.min(Number(digits), sizeBytes)}`;
  });
  const ranges = parseRange(sizeBytes, clamped, { combine: true });
  if (ranges === -2) return 'whole';
  if (ranges === -1) return 'unsatisfiable';
  const [range] = ranges;
  if (range === undefined || ranges.length !== 1) return 'whole';
  return { firstByte: range.start, lastByte: range.end };
}
