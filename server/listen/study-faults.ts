// The faults of early HTTP servers, each of which can be switched on by name to show what it costs. Heidemann 1996
// found the first, second and fourth in Apache 1.1b4; Nielsen, Gettys et al. 1997 the others in Apache 1.2b2.

import { any, listOf } from '../../options/kinds.ts';

const switches = ['split-headers', 'nagle', 'close-both-halves', 'small-buffers'] as const;

/** The name of a fault, which affects HTTP/1 only; HTTP/2 frames responses itself. */
export type StudyFault = (typeof switches)[number] | `requests-per-connection=${number}`;

const limitPattern = /^requests-per-connection=([1-9]\d{0,8})$/;

export interface StudyFaults {
  /** The header section is sent in a write of its own, before the content (Heidemann 1996, 2.2). */
  readonly splitHeaders: boolean;
  /** TCP_NODELAY is off: the kernel holds back a short segment while one is unacknowledged (Heidemann 1996, 2.3). */
  readonly nagle: boolean;
  /** Both halves are closed after the last response, even if requests still arrive (Nielsen, Gettys et al. 1997). */
  readonly closeBothHalves: boolean;
  /** Responses are written in pieces of 4 KB, as from a standard I/O library's buffer (Heidemann 1996, 2.3 and 2.5). */
  readonly smallBuffers: boolean;
  /** Requests per connection. Infinity: no limit. */
  readonly requestsPerConnection: number;
}

const isFault = (value: unknown): value is StudyFault =>
  typeof value === 'string' &&
  ((switches as readonly string[]).includes(value) || limitPattern.test(value));

export const studyFaultsKind = listOf(
  any<StudyFault>(isFault, `one of ${switches.join(', ')}, requests-per-connection=N`),
  'a list of faults',
);

/** @param names checked by `studyFaultsKind`; undefined for a server without faults */
export function studyFaults(names: readonly StudyFault[] = []): StudyFaults | undefined {
  if (names.length === 0) return undefined;
  const limits = names.map((name) => Number(limitPattern.exec(name)?.[1] ?? Infinity));
  return {
    splitHeaders: names.includes('split-headers'),
    nagle: names.includes('nagle'),
    closeBothHalves: names.includes('close-both-halves'),
    smallBuffers: names.includes('small-buffers'),
    requestsPerConnection: Math.min(...limits),
  };
}
