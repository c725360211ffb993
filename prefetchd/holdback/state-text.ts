// The state of a holdback as text, for a file: JSON with counts in Base64, without the empty buckets.

import type { HoldbackState } from './holdback.ts';

type Counts = HoldbackState['counts'][string];

interface Written {
  type: 'Uint32Array' | 'Float64Array';
  length: number;
  /** Runs of elements, each with the index of its first element. */
  parts: Array<readonly [at: number, base64: string]>;
}

/** Number of zeros between two runs above which it is cheaper to leave them out. */
const leastGap = 64;

export function textOfState({ counts, ...rest }: HoldbackState): string {
  const written = Object.entries(counts).map(([name, counted]) => [name, writtenOf(counted)]);
  return JSON.stringify({ ...rest, counts: Object.fromEntries(written) });
}

/** @returns null if the text is not that of a state. Never throws. */
export function stateOfText(text: string): HoldbackState | null {
  try {
    const { format, percent, sinceMs, visitors, counts } = JSON.parse(text);
    const { hinted, heldBack } = visitors;
    const numbers = [percent, sinceMs, hinted, heldBack];
    if (format !== 1 || !numbers.every(Number.isFinite)) return null;
    const read = Object.entries(counts as Record<string, Written>).map(
      ([name, written]) => [name, countsOf(written)] as const,
    );
    const all = Object.fromEntries(read);
    return { format, percent, sinceMs, visitors: { hinted, heldBack }, counts: all };
  } catch {
    return null;
  }
}

function writtenOf(counts: Counts): Written {
  const parts: Written['parts'] = [];
  let start = -1;
  let end = -1;
  const flush = () => {
    if (start < 0) return;
    const { buffer, byteOffset, BYTES_PER_ELEMENT: size } = counts;
    const bytes = Buffer.from(buffer, byteOffset + start * size, (end - start) * size);
    parts.push([start, bytes.toString('base64')]);
  };
  for (let at = 0; at < counts.length; at++) {
    if (counts[at] === 0) continue;
    if (start < 0 || at - end > leastGap) {
      flush();
      start = at;
    }
    end = at + 1;
  }
  flush();
  const type = counts instanceof Uint32Array ? 'Uint32Array' : 'Float64Array';
  return { type, length: counts.length, parts };
}

const mostElements = 1_000_000;

function countsOf({ type, length, parts }: Written): Counts {
  if (!(length >= 0 && length <= mostElements)) throw new RangeError('too long');
  const counts = type === 'Uint32Array' ? new Uint32Array(length) : new Float64Array(length);
  for (const [at, base64] of parts) {
    const bytes = Uint8Array.from(Buffer.from(base64, 'base64'));
    const part =
      type === 'Uint32Array' ? new Uint32Array(bytes.buffer) : new Float64Array(bytes.buffer);
    counts.set(part, at);
  }
  return counts;
}
