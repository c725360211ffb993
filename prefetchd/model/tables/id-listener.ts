// How the URL table (nodes.ts) and the tables keyed by URL id cooperate.

/** A table that stores data by id, or counts. */
export interface IdListener {
  /** Drop the data of an evicted id. */
  forget?(id: number): void;
  /** Multiply every count by `factor`, an exact power of two. */
  scale(factor: number): void;
}

/** Resolves whether data stored by id still belongs to the same URL. */
export interface Generations {
  /** Number of the access from which the id has its present meaning. */
  generationOf(id: number): number;
}
