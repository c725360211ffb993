// A grid of settings, p by i, and the settings that yield a given hint: those with p below its probability, and with
// fewer than i hints before it. Before it come likelier candidates of its rank, and those of better ranks (hintRank)
// that are above p. The higher p, the fewer they are, so for each i a range of p yields the hint: from where few
// enough precede it up to its probability. Thresholds are bits of a number, so results of several requests can be
// united.

import { hintRanks } from '../../wire/index.ts';

const steps = 20;
/** p of each column. */
export const thresholds = Array.from({ length: steps - 1 }, (_, step) => (step + 1) / steps);
const limits = [1, 2, 3, 4, 5, 6, 8, 10, Number.POSITIVE_INFINITY];
/** i of each row; null: no limit. */
export const shownLimits = limits.map((limit) => (Number.isFinite(limit) ? limit : null));
const columns = thresholds.length + 1;

/** By limit: one bit per threshold that yields a hint. */
export type Settings = Uint32Array;

export function noSettings(): Settings {
  return new Uint32Array(limits.length);
}

/** Number of thresholds below a probability, by the same comparison as in hint-choice.ts. */
function levelOf(probability: number): number {
  // Rounding may put the product off by one.
  const level = Math.min(thresholds.length, Math.floor(probability * steps));
  if (level > 0 && !(probability > (thresholds[level - 1] as number))) return level - 1;
  return probability > (thresholds[level] as number) ? level + 1 : level;
}

/** The candidates of one request for hints, likeliest first. */
export class Candidacy {
  length = 0;
  readonly #levels: number[] = [];
  readonly #ranks: number[] = [];
  /** How many of the same rank come before it. */
  readonly #ahead: number[] = [];
  readonly #ofRank = hintRanks.map(() => 0);
  /** By rank: levels of the candidates of better ranks, descending. */
  readonly #better = hintRanks.map((): number[] => []);

  begin(): void {
    this.length = 0;
    this.#ofRank.fill(0);
    for (const levels of this.#better) levels.length = 0;
  }

  add(rank: number, probability: number): void {
    const ahead = this.#ofRank[rank] as number;
    const level = levelOf(probability);
    const at = this.length++;
    this.#levels[at] = level;
    this.#ranks[at] = rank;
    this.#ahead[at] = ahead;
    this.#ofRank[rank] = ahead + 1;
    for (let worse = rank + 1; worse < this.#better.length; worse++) {
      (this.#better[worse] as number[]).push(level);
    }
  }

  /** Add the settings that yield the candidate; call after adding all. @param at position in the order added */
  give(at: number, settings: Settings): void {
    const level = this.#levels[at] as number;
    const ahead = this.#ahead[at] as number;
    const better = this.#better[this.#ranks[at] as number] as number[];
    for (let row = limits.length - 1; row >= 0 && (limits[row] as number) > ahead; row--) {
      const from = better[(limits[row] as number) - ahead - 1] ?? 0;
      if (from < level) settings[row] = (settings[row] as number) | ((1 << level) - (1 << from));
    }
  }
}

/** Sums by setting. */
export class SettingSums {
  /** By limit and threshold: increase over the previous threshold. */
  readonly #steps = new Float64Array(limits.length * columns);

  add(settings: Settings, amount: number): void {
    for (let row = 0; row < settings.length; row++) {
      const given = settings[row] as number;
      for (let edges = given ^ (given << 1); edges !== 0; edges &= edges - 1) {
        const column = 31 - Math.clz32(edges & -edges);
        const at = row * columns + column;
        const isStart = (given & (1 << column)) !== 0;
        this.#steps[at] = (this.#steps[at] as number) + (isStart ? amount : -amount);
      }
    }
  }

  /** By limit, then threshold. */
  rows(): number[][] {
    return limits.map((_, row) => {
      let sum = 0;
      return thresholds.map((_, column) => {
        sum += this.#steps[row * columns + column] as number;
        return sum;
      });
    });
  }
}
