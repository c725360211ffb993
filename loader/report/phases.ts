// Computes the times that the reports show. The milestones of a page load have one name, letter and explanation each.
// The life of each resource is divided into phases. The spans of a resource are contiguous, from `startMs` to its last
// known time. A missing time ends no phase; a time out of order counts as the latest before it. Connecting appears
// once, on the first resource sent on a connection, and only for the time that this resource waited: a reused or
// preopened connection costs nothing. A resource that failed because no connection could be opened was connecting. Each
// attempt of a resent request has its own spans; all but the last end with `lost`.

import type { LoaderErrorCode } from '../errors.ts';
import type {
  ConnectionRecord,
  LostAttempt,
  PageLoad,
  PageTiming,
  ResourceRecord,
} from '../page-load.ts';
import { roundMs } from './units.ts';

export interface Milestone {
  key: keyof PageTiming;
  /** Letter that marks the milestone below the bars in the terminal, where there is no room for its name. */
  letter: string;
  name: string;
  explanation: string;
}

/** The milestones in their usual order. */
export const milestones: readonly Milestone[] = (
  [
    ['firstByteMs', 'F', 'first byte', "first byte of the page's response"],
    ['htmlEndMs', 'H', 'HTML end', "last byte of the page's HTML"],
    ['sizesKnownMs', 'S', 'sizes known', 'size, or failure, of every image is known'],
    ['firstViewMs', 'V', 'first view', 'what rendering waits for, and images of the first view'],
    ['completeMs', 'C', 'complete', 'last byte of the last resource'],
  ] as const
).map(([key, letter, name, explanation]) => ({ key, letter, name, explanation }));

export type Phase =
  /** The resource was found, not requested: it waits for a connection, capacity, or requests to be sent with it. */
  | 'queued'
  | 'lookup'
  | 'connect'
  /** The TLS handshake is in progress. */
  | 'secure'
  /** The request was sent and abandoned, to be sent again later. */
  | 'lost'
  /** The request was sent, and no byte of the response has arrived. */
  | 'waiting'
  | 'receiving'
  /** The resource was answered from the cache without a request. */
  | 'cache';

export interface PhaseSpan {
  phase: Phase;
  startMs: number;
  /** End of the phase, after its `startMs`: phases without duration are left out (except by `drawnPhases`). */
  endMs: number;
}

/** Phase in which a resource failed whose request was never sent, by the code of its error. */
const failedWhile: Partial<Record<LoaderErrorCode, Phase>> = {
  'name-not-resolved': 'lookup',
  'connection-refused': 'connect',
  'connect-timeout': 'connect',
  'connection-failed': 'connect',
  'tls-failed': 'connect',
  'protocol-unavailable': 'connect',
};

/** One transmission of a request: when it was sent, on which connection, and at which position there. */
type Sending = Pick<LostAttempt, 'requestStartMs' | 'connection' | 'pipelineIndex'>;

/** Divides the life of each resource into the spans of its phases, in the order of `load.resources`. */
export function phasesOfLoad(load: PageLoad): PhaseSpan[][] {
  const connections = new Map(load.connections.map((connection) => [connection.id, connection]));
  const sendings = load.resources.map(sendingsOf);
  const openers = connectionOpeners(sendings.flat());
  const openedBy = (sending: Sending | undefined) =>
    sending !== undefined && openers.get(sending.connection) === sending
      ? connections.get(sending.connection)
      : undefined;
  return load.resources.map((resource, i) =>
    phasesOfResource(resource, (attempt) => openedBy(sendings[i]?.[attempt])),
  );
}

/** Returns all transmissions of a resource's request, the lost ones and the last one. */
function sendingsOf({ lostAttempts, ...last }: ResourceRecord): Sending[] {
  const { requestStartMs, connection, pipelineIndex } = last;
  // A request that was never sent is included, because the connection chosen for it shows what it waited for.
  return connection === null
    ? lostAttempts
    : [
        ...lostAttempts,
        { requestStartMs: requestStartMs ?? Number.MAX_VALUE, connection, pipelineIndex },
      ];
}

/**
 * Returns the spans for drawing: unlike in `phasesOfLoad`, a resource without measurable duration has one empty span at
 * its arrival, so that it is visible.
 */
export function drawnPhases(load: PageLoad): PhaseSpan[][] {
  return phasesOfLoad(load).map((spans, i) => {
    const resource = load.resources[i];
    if (spans.length > 0 || resource === undefined) return spans;
    const { responseEndMs, fromCache, startMs, error } = resource;
    if (responseEndMs === null || error !== null) return [];
    return [{ phase: fromCache ? 'cache' : 'receiving', startMs, endMs: startMs }];
  });
}

/** Returns the time spent in the phases, in ms, to 0.001; null if the resource was in none. */
export function durationMs(spans: PhaseSpan[], ...phases: Phase[]): number | null {
  const own = spans.filter(({ phase }) => phases.includes(phase));
  if (own.length === 0) return null;
  return roundMs(own.reduce((sum, { startMs, endMs }) => sum + endMs - startMs, 0));
}

/** Returns the latest known time of the load, in ms since navigation start; 0 if there is none. */
export function lastMs(load: PageLoad, phases: PhaseSpan[][]): number {
  const ends = load.resources.map((resource, i) => phases[i]?.at(-1)?.endMs ?? resource.startMs);
  const times = [...Object.values(load.timing), ...ends];
  return times.reduce<number>((latest, ms) => Math.max(latest, ms ?? 0), 0);
}

/**
 * Divides the life of a resource into the spans of its phases.
 * @param opened Returns the connection that was opened for an attempt to send the request, by its index from 0.
 */
function phasesOfResource(
  resource: ResourceRecord,
  opened: (attempt: number) => ConnectionRecord | undefined,
): PhaseSpan[] {
  const { startMs, requestStartMs, responseStartMs, responseEndMs, lostAttempts } = resource;
  const spans: PhaseSpan[] = [];
  let now = startMs;
  const until = (endMs: number | null, phase: Phase) => {
    if (endMs === null || !(endMs > now)) return;
    spans.push({ phase, startMs: now, endMs });
    now = endMs;
  };
  /** Adds spans for the part of a connection's opening that one attempt to send the request waited for. */
  const open = (connection: ConnectionRecord | undefined, sentMs: number | null) => {
    if (connection === undefined) return;
    const limit = sentMs ?? responseEndMs ?? Number.POSITIVE_INFINITY;
    const clip = (ms: number | null) => (ms === null ? null : Math.min(ms, limit));
    const { lookupEndMs, connectEndMs, secureEndMs } = connection;
    if ((secureEndMs ?? connectEndMs ?? limit) <= now) return;
    until(clip(connection.startMs), 'queued');
    until(clip(lookupEndMs), 'lookup');
    until(clip(connectEndMs), 'connect');
    until(clip(secureEndMs), 'secure');
  };

  for (const [attempt, lost] of lostAttempts.entries()) {
    open(opened(attempt), lost.requestStartMs);
    until(lost.requestStartMs, 'queued');
    until(lost.endMs, 'lost');
  }
  open(opened(lostAttempts.length), requestStartMs);
  if (requestStartMs === null) {
    const failing = resource.error === null ? undefined : failedWhile[resource.error.code];
    until(responseEndMs, resource.fromCache ? 'cache' : (failing ?? 'queued'));
    return spans;
  }
  until(requestStartMs, 'queued');
  until(responseStartMs ?? responseEndMs, 'waiting');
  until(responseEndMs, 'receiving');
  return spans;
}

/** Finds the first request that was sent on each connection in this load. */
function connectionOpeners(sendings: readonly Sending[]): Map<number, Sending> {
  const inOrder = sendings.toSorted(
    (a, b) =>
      a.requestStartMs - b.requestStartMs || (a.pipelineIndex ?? 0) - (b.pipelineIndex ?? 0),
  );
  return new Map(inOrder.toReversed().map((sending) => [sending.connection, sending]));
}
