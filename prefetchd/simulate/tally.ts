// Counts what happens in a simulated run, separately for documents and objects, and computes the figures. Access
// figures are counted by the kind of the requested file, prefetch figures by the kind of the prefetched file.

export interface RunTally {
  accesses: number;
  blocks: number;
  missedBlocks: number;
  accessTimeMs: number;
  demandBytes: number;
  demandRequests: number;
  prefetches: number;
  prefetchedBytes: number;
  /** Number of prefetches whose file the client requested while it was in the cache or being fetched. */
  usedPrefetches: number;
  /** Number of accesses that would have missed the client's cache, but were prefetched, at least in part. */
  served: number;
  /** Number of accesses that would miss the client's cache without prefetching. */
  wouldMiss: number;
}

export type TallyByKind = Record<'documents' | 'objects', RunTally>;

/** Figures of a simulation without prefetching. */
export interface BaselineFigures {
  accesses: number;
  /** Blocks of files (the units of the simulated cache) not in the client's cache / blocks accessed. */
  missRate: number;
  averageAccessTimeMs: number;
  /** Bytes transferred over the network. */
  bytes: number;
  requests: number;
}

export interface RunFigures {
  /** Blocks of files (the units of the simulated cache) not in the client's cache when requested / blocks accessed. */
  missRate: number;
  averageAccessTimeMs: number;
  /** Bytes with prefetching / bytes without - 1: 0.4 means 40 % more. */
  trafficIncrease: number;
  /** Requests with prefetching / requests without - 1. */
  requestIncrease: number;
  prefetches: number;
  /** Prefetches used / prefetches; null if there were no prefetches. */
  precision: number | null;
  /** Accesses served by a prefetch / accesses that would miss without prefetching; null if none would. */
  recall: number | null;
}

export type WithKinds<T> = T & { documents: T; objects: T };

const emptyTally: Readonly<RunTally> = {
  accesses: 0,
  blocks: 0,
  missedBlocks: 0,
  accessTimeMs: 0,
  demandBytes: 0,
  demandRequests: 0,
  prefetches: 0,
  prefetchedBytes: 0,
  usedPrefetches: 0,
  served: 0,
  wouldMiss: 0,
};

export function emptyTallies(): TallyByKind {
  return { documents: { ...emptyTally }, objects: { ...emptyTally } };
}

export function baselineFigures(tallies: TallyByKind): WithKinds<BaselineFigures> {
  return withKinds(tallies, tallies, (tally) => ({
    accesses: tally.accesses,
    missRate: share(tally.missedBlocks, tally.blocks) ?? 0,
    averageAccessTimeMs: share(tally.accessTimeMs, tally.accesses) ?? 0,
    bytes: tally.demandBytes,
    requests: tally.demandRequests,
  }));
}

export function pointFigures(tallies: TallyByKind, baseline: TallyByKind): WithKinds<RunFigures> {
  return withKinds(tallies, baseline, (tally, before) => ({
    missRate: share(tally.missedBlocks, tally.blocks) ?? 0,
    averageAccessTimeMs: share(tally.accessTimeMs, tally.accesses) ?? 0,
    trafficIncrease: increase(tally.demandBytes + tally.prefetchedBytes, before.demandBytes),
    requestIncrease: increase(tally.demandRequests + tally.prefetches, before.demandRequests),
    prefetches: tally.prefetches,
    precision: share(tally.usedPrefetches, tally.prefetches),
    recall: share(tally.served, tally.wouldMiss),
  }));
}

function withKinds<T>(
  tallies: TallyByKind,
  baseline: TallyByKind,
  figuresOf: (tally: RunTally, baseline: RunTally) => T,
): WithKinds<T> {
  return {
    ...figuresOf(sum(tallies), sum(baseline)),
    documents: figuresOf(tallies.documents, baseline.documents),
    objects: figuresOf(tallies.objects, baseline.objects),
  };
}

function share(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}

function increase(now: number, before: number): number {
  return before === 0 ? 0 : now / before - 1;
}

function sum({ documents, objects }: TallyByKind): RunTally {
  const total = { ...documents };
  for (const name of Object.keys(total) as Array<keyof RunTally>) total[name] += objects[name];
  return total;
}
