// Between the table of URLs (nodes.ts) and the tables that keep something by the id of a URL.

/** A table that keeps something by id, or counts. */
export interface IdListener {
  /** Let go of what is kept of an id. */
  forget?(id: number): void;
  /** Multiply every count by `factor`, an exact power of two. */
  scale(factor: number): void;
}

/** What tells whether something that was written down by id still means the same URL. */
export interface Generations {
  /** Number of the access from which on an id means the URL it means now. */
  generationOf(id: number): number;
}
