// What an audit says: findings, each a kind of advice with the resources it is about and what it would save. Plain
// data. No byte, request or round trip is counted by two findings of the same visit.

/** On the wire: header sections and bodies of responses, requests, and round trips one after the other. */
export interface Savings {
  bytes: number;
  requests: number;
  roundTrips: number;
}

export type FindingKind =
  | 'uncompressed-text'
  | 'css-images'
  | 'image-formats'
  | 'photograph-formats'
  | 'late-resources'
  | 'redirects'
  | 'closed-connections'
  | 'separate-segments'
  | 'tag-case'
  | 'image-dimensions'
  | 'no-ranges'
  | 'missing-validators'
  | 'no-lifetime';

export interface FindingItem {
  url: string;
  /** What was seen, in words. */
  note: string;
  saves: Savings;
  /** Of other ways that were tried, bytes of the body by name. */
  tried?: Readonly<Record<string, number>>;
}

export interface Finding {
  kind: FindingKind;
  /** What is wrong, in a few words. */
  title: string;
  /** What to do about it. */
  advice: string;
  /** How it was measured or judged. */
  how: string;
  /** `measured`: tried on these bytes. `likely`: follows from what was seen. `perhaps`: look at it before you act. */
  sure: 'measured' | 'likely' | 'perhaps';
  /** The visit that gets faster: the first one, or one that has the page in its cache. */
  visit: 'first' | 'next';
  saves: Savings;
  /** By saving, the largest first. */
  items: FindingItem[];
}

export interface Audit {
  /** Of the document, after redirects. */
  url: string;
  /** By saving: those of a first visit, then those of the next one. */
  findings: Finding[];
  saves: { first: Savings; next: Savings };
  /** What was not measured, and why. */
  untried: string[];
  /** Those of `untried` that might have saved something: `saves` is without them. */
  uncounted: string[];
}

export const nothing: Savings = { bytes: 0, requests: 0, roundTrips: 0 };

/** Without round trips, which do not add up: resources wait beside each other. */
export function sumOf(items: readonly { saves: Savings }[]): Savings {
  const sum = (field: keyof Savings) => items.reduce((total, { saves }) => total + saves[field], 0);
  return { bytes: sum('bytes'), requests: sum('requests'), roundTrips: 0 };
}

/** Bytes that a new connection sends in one round trip: ten segments (RFC 6928). */
const bytesPerRoundTrip = 14_600;
/** A response needs a segment at least. */
const bytesPerRequest = 1_460;

/** For the order alone: a saving in bytes. */
export function weightOf({ bytes, requests, roundTrips }: Savings): number {
  return bytes + requests * bytesPerRequest + roundTrips * bytesPerRoundTrip;
}

export const byWeight = (one: { saves: Savings }, other: { saves: Savings }): number =>
  weightOf(other.saves) - weightOf(one.saves);
