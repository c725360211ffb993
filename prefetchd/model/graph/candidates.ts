// From candidates to hints. A predictor fills a CandidateList, best first, and `select` reads hints from its head.
// Resources sent with an access through GETALL or GETLIST are already at the client, so they are excluded from the
// list of that access (Padmanabhan 1995, 7.3: "need not be considered as candidates ... at this time"). They are
// candidates again at the client's next access.

import type { Access, AccessKind, Navigation } from '../../access.ts';
import type {
  CandidateSource,
  Candidates,
  Prediction,
  PredictOptions,
  Predictor,
} from '../predictor.ts';
import { growArray } from '../tables/grow-array.ts';
import type { NodeTable } from './nodes.ts';

/** The list behind `Predictor.candidates`, reused for every call. */
export class CandidateList implements Candidates {
  length = 0;
  ids = new Int32Array(256);
  probabilities = new Float64Array(256);
  /** Decides ties, highest first, before the URL: number of the access that made the candidate likely, or tieRank. */
  lasts = new Float64Array(256);
  /** Absent if the predictor cannot tell. */
  readonly navigationOf?: (at: number) => Navigation | undefined;
  #sent: Set<number> | null = null;

  /** @param navigationOf navigation of a listed id, if the predictor can tell */
  constructor(navigationOf?: (id: number) => Navigation | undefined) {
    if (navigationOf !== undefined) {
      this.navigationOf = (at) => navigationOf(this.ids[at] as number);
    }
  }

  /** Clear the list for an access. */
  begin(access: Access, nodes: NodeTable): void {
    this.length = 0;
    const sent = access.alsoSent;
    this.#sent = sent?.length ? new Set(sent.map((url) => nodes.idOf(url))) : null;
  }

  /** Append a candidate unless it was sent with the access; the probability is capped at 1. @returns true if
   *  appended */
  add(id: number, probability: number, last: number): boolean {
    if (this.#sent?.has(id)) return false;
    const at = this.length;
    if (at === this.ids.length) this.#grow();
    this.ids[at] = id;
    this.probabilities[at] = probability < 1 ? probability : 1;
    this.lasts[at] = last;
    this.length = at + 1;
    return true;
  }

  /** Keep only candidates more probable than `above`. */
  keepAbove(above: number): void {
    let kept = 0;
    for (let at = 0; at < this.length; at++) {
      if (!((this.probabilities[at] as number) > above)) continue;
      this.ids[kept] = this.ids[at] as number;
      this.probabilities[kept] = this.probabilities[at] as number;
      this.lasts[kept++] = this.lasts[at] as number;
    }
    this.length = kept;
  }

  /** Sort best first; ties by recency, then URL. In-place Shell sort, because the list is usually almost in order. */
  sort(nodes: NodeTable): void {
    for (const gap of [701, 301, 132, 57, 23, 10, 4, 1]) {
      for (let end = gap; end < this.length; end++) this.#insert(end, gap, nodes);
    }
  }

  #insert(end: number, gap: number, nodes: NodeTable): void {
    const id = this.ids[end] as number;
    const probability = this.probabilities[end] as number;
    const last = this.lasts[end] as number;
    let at = end;
    while (at >= gap && this.#isBehind(at - gap, probability, last, id, nodes)) {
      this.ids[at] = this.ids[at - gap] as number;
      this.probabilities[at] = this.probabilities[at - gap] as number;
      this.lasts[at] = this.lasts[at - gap] as number;
      at -= gap;
    }
    this.ids[at] = id;
    this.probabilities[at] = probability;
    this.lasts[at] = last;
  }

  #isBehind(at: number, probability: number, last: number, id: number, nodes: NodeTable): boolean {
    const other = this.probabilities[at] as number;
    if (other !== probability) return other < probability;
    const otherLast = this.lasts[at] as number;
    if (otherLast !== last) return otherLast < last;
    return nodes.urlOf(this.ids[at] as number) > nodes.urlOf(id);
  }

  #grow(): void {
    const length = this.ids.length * 2;
    this.ids = growArray(this.ids, new Int32Array(length));
    this.probabilities = growArray(this.probabilities, new Float64Array(length));
    this.lasts = growArray(this.lasts, new Float64Array(length));
  }
}

/** The head of the list: above the threshold, of the requested kind, at most `limit`. */
export function select(
  candidates: Candidates,
  source: Pick<CandidateSource, 'urlOf' | 'kindOf'>,
  options: PredictOptions,
): Prediction[] {
  const limit = options.limit ?? Number.POSITIVE_INFINITY;
  const predictions: Prediction[] = [];
  for (let i = 0; i < candidates.length && predictions.length < limit; i++) {
    const probability = candidates.probabilities[i] as number;
    if (!(probability > options.threshold)) break;
    const id = candidates.ids[i] as number;
    const kind = source.kindOf(id);
    if (options.kind !== undefined && kind !== options.kind) continue;
    const prediction: Prediction = { url: source.urlOf(id), kind, probability };
    const navigation = kind === 'object' ? candidates.navigationOf?.(i) : undefined;
    if (navigation !== undefined) prediction.navigation = navigation;
    predictions.push(prediction);
  }
  return predictions;
}

/** The predictor's `candidates`, or an equivalent built on its `predict`. */
export function candidateSource(predictor: Predictor): CandidateSource {
  if (predictor.candidates && predictor.urlOf && predictor.kindOf) {
    return predictor as Predictor & CandidateSource;
  }
  let predictions: Prediction[] = [];
  return {
    candidates(access, above = 0) {
      predictions = predictor.predict(access, { threshold: above, limit: null });
      return {
        length: predictions.length,
        ids: predictions.map((_, index) => index),
        probabilities: predictions.map((prediction) => prediction.probability),
        navigationOf: (index) => predictions[index]?.navigation,
      };
    },
    urlOf: (id) => predictions[id]?.url ?? '',
    kindOf: (id): AccessKind => predictions[id]?.kind ?? 'document',
  };
}
