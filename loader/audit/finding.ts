// The results of an audit: findings, each a kind of advice with the resources that it is about and what it would save.
// They are plain data. No byte, request or round trip is counted by two findings of the same visit.

/** Savings on the wire: header sections and bodies of responses, requests, and sequential round trips. */
export interface Savings {
  bytes: number;
  requests: number;
  roundTrips: number;
}

export interface FindingItem {
  url: string;
  /** What was observed on the resource, in words. */
  note: string;
  saves: Savings;
  /** Length of the body in other formats that were tried, by name, bytes. */
  tried?: Readonly<Record<string, number>>;
}

export interface Finding {
  /** Name of the kind of advice, as in docs/audit.md: `late-resources`. */
  kind: string;
  /** The problem, in a few words. */
  title: string;
  /** What the owner of the page should do about the problem. */
  advice: string;
  /** How the problem was measured or judged, in words. */
  how: string;
  /** `measured`: the remedy was tried on the received bytes. `likely`: the finding follows from observations. */
  sure: 'measured' | 'likely';
  /** The visit that gets faster: the first one, or one that has the page in its cache. */
  visit: 'first' | 'next';
  saves: Savings;
  /** The resources that the advice is about, sorted by saving, the largest first. */
  items: FindingItem[];
}

export interface Audit {
  /** URL of the audited document, after redirects. */
  url: string;
  /** Sorted by saving: first the findings on a first visit, then those on the next visit. */
  findings: Finding[];
  saves: { first: Savings; next: Savings };
  /** What the audit did not try, such as images that it did not convert, with the reason. */
  untried: string[];
  /** Entries of `untried` that might have saved something, which `saves` does not include. */
  uncounted: string[];
}

export const nothing: Savings = { bytes: 0, requests: 0, roundTrips: 0 };

/**
 * Returns a list with the finding on `items`; [] if there are no items.
 * @param roundTrips Sequential round trips that the finding saves; round trips of single items are not added up,
 * because resources load in parallel.
 */
export function findingOn(
  items: readonly FindingItem[],
  words: Omit<Finding, 'saves' | 'items'>,
  roundTrips = 0,
): Finding[] {
  if (items.length === 0) return [];
  return [{ ...words, saves: { ...sumOf(items), roundTrips }, items: items.toSorted(byWeight) }];
}

/** Adds up savings. Round trips add up, too, because those of different findings come one after the other. */
export function sumOf(parts: readonly { saves: Savings }[]): Savings {
  const sum = (field: keyof Savings) => parts.reduce((total, { saves }) => total + saves[field], 0);
  return { bytes: sum('bytes'), requests: sum('requests'), roundTrips: sum('roundTrips') };
}

/** Number of bytes that a new connection sends in one round trip: ten segments (RFC 6928). */
const bytesPerRoundTrip = 14_600;
/** Number of bytes that a saved request counts as: a response needs at least one segment. */
const bytesPerRequest = 1_460;

/** Converts a saving to a number of bytes, for sorting only. */
function weightOf({ bytes, requests, roundTrips }: Savings): number {
  return bytes + requests * bytesPerRequest + roundTrips * bytesPerRoundTrip;
}

export const byWeight = (one: { saves: Savings }, other: { saves: Savings }): number =>
  weightOf(other.saves) - weightOf(one.saves);
