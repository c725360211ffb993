// Predictors of the next page of a visit, for comparison: those of the product, and others that it does not have.

import { type Access, type PredictorName, predictorWith } from '../../prefetchd/model/index.ts';

/** Pages by number, in their order. */
export type Visit = readonly number[];

export interface NextPagePredictor {
  learn(visit: Visit): void;
  /** Pages that may come next, the likeliest first. @param visit so far, not empty */
  rank(visit: Visit): number[];
}

/** Of the product: what follows the last page. */
class OfProduct implements NextPagePredictor {
  readonly #predictor;
  #visits = 0;

  constructor(name: PredictorName, window: number) {
    const none = { idleGapMs: null, halfLifeMs: null, maxArcsPerNode: 65_536 };
    this.#predictor = predictorWith(name, { window, maxArcs: 5_000_000, ...none });
  }

  learn(visit: Visit): void {
    const client = `visitor ${++this.#visits}`;
    for (const page of visit) this.#predictor.observe(accessOf(client, page));
  }

  rank(visit: Visit): number[] {
    const asked = accessOf('newcomer', visit.at(-1) as number);
    const hints = this.#predictor.predict(asked, { threshold: 0, limit: null });
    return hints.map(({ url }) => Number(url.slice(1)));
  }
}

function accessOf(client: string, page: number): Access {
  return {
    ...{ client, url: `/${page}`, timeMs: 0, kind: 'document', status: 200, bytes: 1000 },
    prefetch: false,
  };
}

/** The pages that most visits have, whatever came before. */
class MostPopular implements NextPagePredictor {
  readonly #visits = new Map<number, number>();
  #best: number[] | null = null;

  learn(visit: Visit): void {
    for (const page of new Set(visit)) this.#visits.set(page, (this.#visits.get(page) ?? 0) + 1);
    this.#best = null;
  }

  rank(): number[] {
    this.#best ??= [...this.#visits]
      .sort(([, left], [, right]) => right - left)
      .slice(0, 20)
      .map(([page]) => page);
    return this.#best;
  }
}

interface Row {
  accesses: number;
  readonly followers: Map<number, number>;
}

interface TrailOptions {
  /** Pages that vote. */
  pages: number;
  /** Weight of a page's vote over that of the page after it. */
  decay: number;
  /** Weight of the last two pages together; 0: they have no rows. */
  pairs: number;
}

/** The last pages vote: sum over j of decay^j n(page j to b) / (n(page j) + 2), and the last two together once more. */
class Trail implements NextPagePredictor {
  static readonly #window = 4;
  readonly #options: TrailOptions;
  readonly #rows = new Map<string, Row>();

  constructor(options: TrailOptions) {
    this.#options = options;
  }

  learn(visit: Visit): void {
    for (const [at, page] of visit.entries()) {
      this.#row(`${page}`).accesses++;
      const before = new Set<number>();
      for (let back = 1; back < Trail.#window && back <= at; back++) {
        const earlier = visit[at - back] as number;
        if (earlier === page) break;
        before.add(earlier);
      }
      for (const earlier of before) this.#follow(`${earlier}`, page);
      if (this.#options.pairs === 0 || at === 0) continue;
      if (at > 1) this.#follow(`${visit[at - 2]} ${visit[at - 1]}`, page);
      this.#row(`${visit[at - 1]} ${page}`).accesses++;
    }
  }

  rank(visit: Visit): number[] {
    const { pages, decay, pairs } = this.#options;
    const scores = new Map<number, number>();
    const vote = (key: string, weight: number) => {
      const { accesses, followers } = this.#rows.get(key) ?? { accesses: 0, followers: [] };
      for (const [page, count] of followers) {
        scores.set(page, (scores.get(page) ?? 0) + (weight * count) / (accesses + 2));
      }
    };
    for (const [back, page] of visit.slice(-pages).reverse().entries()) {
      vote(`${page}`, decay ** back);
    }
    if (pairs > 0 && visit.length > 1) vote(`${visit.at(-2)} ${visit.at(-1)}`, pairs);
    return [...scores].sort(([, left], [, right]) => right - left).map(([page]) => page);
  }

  #row(key: string): Row {
    const known = this.#rows.get(key);
    if (known !== undefined) return known;
    const row = { accesses: 0, followers: new Map<number, number>() };
    this.#rows.set(key, row);
    return row;
  }

  #follow(key: string, page: number): void {
    const { followers } = this.#row(key);
    followers.set(page, (followers.get(page) ?? 0) + 1);
  }
}

export const nextPagePredictors: Readonly<Record<string, () => NextPagePredictor>> = {
  'double-graph': () => new OfProduct('double-graph', 4),
  'dependency-graph': () => new OfProduct('dependency-graph', 4),
  'Markov (w 2)': () => new OfProduct('dependency-graph', 2),
  'most popular': () => new MostPopular(),
  'vote of five pages': () => new Trail({ pages: 5, decay: 0.5, pairs: 0 }),
  'trail (vote and pairs)': () => new Trail({ pages: 5, decay: 0.5, pairs: 1 }),
};
