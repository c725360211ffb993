// What every fuzz target has in common: cases are made from a seed of their own, run one after the other against real
// sockets, and judged by an invariant. A case is data, so one that found something can be kept (seeds/) and is
// replayed with every test run.

import { setTimeout as wait } from 'node:timers/promises';
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

/** Whole numbers below an end, and items of a list, drawn by a target's random numbers. */
export function drawingBy(random: () => number) {
  const below = (end: number): number => Math.floor(random() * end);
  const pick = <Item>(list: readonly Item[]): Item => list[below(list.length)] as Item;
  return { below, pick };
}

/** Bytes as segments of at most so many, but for a share of the cuts behind which all is one segment. */
export function segmentsOf(
  bytes: string,
  random: () => number,
  { whole, most }: { whole: number; most: number },
): string[] {
  const { below } = drawingBy(random);
  const segments: string[] = [];
  for (let rest = bytes; rest.length > 0; rest = rest.slice(segments.at(-1)?.length)) {
    const length = random() < whole ? rest.length : 1 + below(Math.min(rest.length, most));
    segments.push(rest.slice(0, length));
  }
  return segments;
}

/** What work gives, or what is said when it takes longer. */
export async function within<Result>(
  mostMs: number,
  work: Promise<Result>,
  late: () => Result,
): Promise<Result> {
  const over = new AbortController();
  const waited = wait(mostMs, undefined, { signal: over.signal });
  try {
    return await Promise.race([work, waited.then(late)]);
  } finally {
    over.abort();
    waited.catch(() => {});
  }
}

/** The first thing that is wrong with a case, be it told or thrown past everybody, until this is disposed. */
export class Problems implements Disposable {
  #first: string | undefined;
  readonly #stop = new AbortController();

  constructor() {
    for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
      const crash = (error: unknown) =>
        this.tell(`thrown past everybody: ${String((error as Error)?.stack ?? error)}`);
      process.on(event, crash);
      this.#stop.signal.addEventListener('abort', () => process.off(event, crash));
    }
  }

  readonly tell = (problem: string | undefined): void => {
    this.#first ??= problem;
  };

  /** The next case begins without it. */
  take(): string | undefined {
    const first = this.#first;
    this.#first = undefined;
    return first;
  }

  [Symbol.dispose](): void {
    this.#stop.abort();
  }
}

/** Lets what a server does on a connection wait for what it began there before. */
export function takingTurns(): (connection: object, work: () => Promise<void>) => void {
  const turns = new WeakMap<object, Promise<void>>();
  return (connection, work) => {
    turns.set(connection, (turns.get(connection) ?? Promise.resolve()).then(work));
  };
}

/** A target that has nothing to start. */
export function tryingAlone<Case>(run: Tried<Case>['run']): FuzzTarget<Case>['start'] {
  return async () => ({ run, async [Symbol.asyncDispose]() {} });
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
