// How the protocol asked for wants connections used, as far as the server lets it: how many there may be, and
// how far requests may run ahead of responses on each. Rules alone: what is open, and what was learned, comes in.

import type { PipelineOptions, ResolvedOptions } from '../options.ts';
import type { Carrier } from './exchange.ts';
import type { Lessons } from './lessons.ts';

export type Way = 'closing' | 'serial' | 'pipelined';

export const ways: Readonly<Record<ResolvedOptions['protocol'], Way>> = {
  'http1.0': 'closing',
  persistent: 'serial',
  pipelined: 'pipelined',
  h2: 'pipelined',
  auto: 'pipelined',
};

const usualConnections: Readonly<Record<Way, number>> = { closing: 4, serial: 6, pipelined: 1 };
/** Streams at a time on HTTP/2: what servers allow as a rule. */
const streams = 100;

/** Connections to an origin at a time. @param asked by the options; null: as usual. */
export function mostConnections(
  way: Way,
  lessons: Lessons,
  asked: number | null,
  { fallbackConnections }: PipelineOptions,
): number {
  if (way !== 'pipelined' || lessons.isBlank) return asked ?? usualConnections[way];
  return lessons.proven ? (asked ?? fallbackConnections) : 1;
}

/** Requests under way on a connection at most. @param connection null: one that is not open yet. */
export function depthOf(
  way: Way,
  lessons: Lessons,
  connection: (Pick<Carrier, 'httpVersion'> & { served: number }) | null,
  { maxDepth }: PipelineOptions,
): number {
  if (connection?.httpVersion === 'h2') return streams;
  if (connection?.httpVersion === 'http/1.0') return 1;
  if (way !== 'pipelined' || !lessons.pipelines) return 1;
  if (lessons.probing && (connection?.served ?? 0) === 0) return 1;
  return maxDepth;
}
