// Sorts accesses by time while few of them are unpacked. Accesses that come nearly in order, as in logs, become one run
// of compressed blocks; a file that begins earlier starts another run; in the end the runs are merged. Accesses of the
// same time keep their order.

import { Block, blockAccesses, type Row } from './trace-blocks.ts';

/** Accesses sorted by time. All blocks but the last are full. */
export interface Run {
  readonly blocks: Uint8Array[];
  count: number;
}

/** An access that comes late, after at most this many later ones, is still put in its place. */
const mostLate = blockAccesses / 2;
/** Most runs that are merged at a time; each takes half a megabyte while it is read. */
const mostRuns = 64;

/** Writes one run from accesses that are in order. */
export class RunWriter {
  readonly #run: Run = { blocks: [], count: 0 };
  readonly #block = new Block();

  copy(from: Block, row: number, bytes?: number): void {
    this.#block.copy(from, row, bytes);
    this.#run.count++;
    if (this.#block.isFull) this.#run.blocks.push(this.#block.pack());
  }

  finish(): Run {
    if (this.#block.count > 0) this.#run.blocks.push(this.#block.pack());
    return this.#run;
  }
}

export class RunSorter {
  #runs: Run[] = [];
  #run = new RunWriter();
  #runEndMs = Number.NEGATIVE_INFINITY;
  /** Accesses that are not yet in a run. */
  #late = new Block();
  #sorted = new Block();

  add(access: Row): void {
    this.#late.push(access);
    if (this.#late.isFull) this.#write(mostLate);
  }

  /** All added accesses, in runs; of accesses with the same time, those added first are in the earlier run. */
  finish(): Run[] {
    this.#write(0);
    this.#endRun();
    return this.#runs;
  }

  /** Put all accesses but the last `left` into the run. */
  #write(left: number): void {
    this.#sort();
    const block = this.#late;
    const end = block.count - left;
    if (end > 0 && (block.timeMs[0] as number) < this.#runEndMs) this.#endRun();
    for (let row = 0; row < end; row++) this.#run.copy(block, row);
    if (end > 0) this.#runEndMs = block.timeMs[end - 1] as number;
    block.dropFirst(end);
  }

  #endRun(): void {
    const run = this.#run.finish();
    this.#run = new RunWriter();
    if (run.count > 0) this.#runs.push(run);
    if (this.#runs.length === mostRuns) this.#runs = [mergeRuns(this.#runs)];
  }

  #sort(): void {
    const { timeMs, count } = this.#late;
    let isSorted = true;
    for (let row = 1; row < count; row++) {
      if ((timeMs[row] as number) < (timeMs[row - 1] as number)) isSorted = false;
    }
    if (isSorted) return;
    const order = Array.from({ length: count }, (_, row) => row);
    order.sort((left, right) => (timeMs[left] as number) - (timeMs[right] as number));
    for (const row of order) this.#sorted.copy(this.#late, row);
    this.#late.count = 0;
    [this.#late, this.#sorted] = [this.#sorted, this.#late];
  }
}

/** Reads a run from its beginning, and frees the blocks that it has read. */
class RunReader {
  readonly block = new Block();
  row = -1;
  readonly #run: Run;
  readonly #order: number;
  #next = 0;

  /** @param order Order among runs for accesses with the same time */
  constructor(run: Run, order: number) {
    this.#run = run;
    this.#order = order;
  }

  /** @returns false at the end. */
  advance(): boolean {
    if (++this.row < this.block.count) return true;
    const { blocks, count } = this.#run;
    if (this.#next === blocks.length) return false;
    const left = count - this.#next * blockAccesses;
    this.block.unpack(blocks[this.#next] as Uint8Array, Math.min(left, blockAccesses));
    blocks[this.#next++] = gone;
    this.row = 0;
    return true;
  }

  isBefore(other: RunReader): boolean {
    const [own, others] = [this.block.timeMs[this.row], other.block.timeMs[other.row]];
    return own === others ? this.#order < other.#order : (own as number) < (others as number);
  }
}

const gone = new Uint8Array();

/** The accesses of all runs by time: each time a reader is yielded, it is at the next one. The runs are used up. */
export function* merged(
  runs: readonly Run[],
): Generator<{ readonly block: Block; readonly row: number }> {
  const readers = runs.map((run, order) => new RunReader(run, order));
  // Readers are sorted by their next access; few runs are merged, and they rarely take turns.
  const waiting = readers.filter((reader) => reader.advance());
  waiting.sort((left, right) => (left.isBefore(right) ? -1 : 1));
  for (let first = waiting[0]; first !== undefined; first = waiting[0]) {
    yield first;
    if (!first.advance()) {
      waiting.shift();
      continue;
    }
    let place = 0;
    while (place + 1 < waiting.length && (waiting[place + 1] as RunReader).isBefore(first)) {
      waiting[place] = waiting[place + 1] as RunReader;
      place++;
    }
    waiting[place] = first;
  }
}

function mergeRuns(runs: readonly Run[]): Run {
  const writer = new RunWriter();
  for (const { block, row } of merged(runs)) writer.copy(block, row);
  return writer.finish();
}
