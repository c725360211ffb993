// What every fuzz target has in common: cases are made from a seed of their own, run one after the other against real
// sockets, and judged by an invariant. A case is data, so one that found something can be kept (seeds/) and is
// replayed with every test run.

import { randomFrom } from '../support/random.ts';

export interface FuzzTarget<Case> {
  readonly name: string;
  /** Tried with every test run. */
  readonly casesInTests: number;
  /** @param random 0 to below 1; the same numbers make the same case */
  make(random: () => number): Case;
  /** Starts what is tried. */
  start(): Promise<Tried<Case>>;
}

export interface Tried<Case> extends AsyncDisposable {
  /** What is wrong; undefined: the invariant holds. */
  run(one: Case): Promise<string | undefined>;
}

export interface Finding<Case> {
  readonly target: string;
  readonly seed: number;
  readonly problem: string;
  readonly case: Case;
}

export interface FuzzSettings {
  /** Of the first case; the next has the next. */
  readonly seed: number;
  /** It ends with whichever comes first. */
  readonly count: number;
  readonly seconds: number;
  onProgress?(cases: number): void;
}

/** Ends with the first finding: what is tried may be broken behind it. */
export async function fuzz<Case>(
  target: FuzzTarget<Case>,
  { seed, count, seconds, onProgress }: FuzzSettings,
): Promise<{ cases: number; finding?: Finding<Case> }> {
  await using tried = await target.start();
  const endMs = performance.now() + seconds * 1000;
  let cases = 0;
  for (; cases < count && performance.now() < endMs; cases++) {
    const one = target.make(randomFrom(seed + cases));
    const problem = await tried.run(one);
    if (problem !== undefined) {
      return { cases, finding: { target: target.name, seed: seed + cases, problem, case: one } };
    }
    onProgress?.(cases + 1);
  }
  return { cases };
}
