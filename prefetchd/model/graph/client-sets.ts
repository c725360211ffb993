// Counts the clients behind an arc, precisely enough for "at least k distinct ones" (k up to 6), by up to six
// fingerprints of ten bits. Equal clients have equal fingerprints, so a count is never too high. It is too low for
// about one in 340 sets of three, when two clients share a fingerprint. Sets from all processes can be united.
//
// A client is identified by the first word of its name, the address (access.ts), because user agents can be invented.
//
// Clients of a service are pseudonyms that change with its salt (salt.ts). When an era ends, its fingerprints lose
// their meaning; `seen` keeps the largest number of clients in any one era. A client that returns the next day is
// therefore not counted twice.

import { textHash } from '../../../process/text-memo.ts';
import { withLast } from './exact-list.ts';

export interface ClientSet {
  /** Fingerprints of distinct clients, made with the present salt; at most six. */
  prints: readonly number[];
  /** The largest number of distinct clients counted under one earlier salt, 0..6, plus the flag `neverNext` (8). */
  seen: number;
}

/** A flag added to `seen` (number of clients) of an arc from A to B if clients at A always opened another page of the
 *  site before B. Without the flag, as in data stored by earlier versions, B may have been the next page after A. */
export const neverNext = 8;

export const maxCountedClients = 6;
export const nobody: readonly number[] = [];
const mostPrints = 1023;

/** Merges two values of `seen`, each a number of clients plus a flag: the larger number, the flag if both have it. */
export function mergedSeen(one: number, other: number): number {
  return Math.max(one % neverNext, other % neverNext) | (one & other & neverNext);
}

/** Returns the fingerprint, 1..1023, of a client with this 32-bit hash. */
export function fingerprint(clientHash: number): number {
  return 1 + ((clientHash >>> 0) % mostPrints);
}

/** Returns the fingerprint of a client, by the first word of its name, the address. */
export function fingerprintOf(client: string): number {
  const space = client.indexOf(' ');
  return fingerprint(textHash(space < 0 ? client : client.slice(0, space)));
}

/** All lists of one fingerprint, at its index. Most arcs have one of them, and a list of their own would take 56 bytes. */
const single: readonly number[][] = Array.from({ length: mostPrints + 1 }, (_, print) => [print]);

/** Adds the fingerprint of a client that followed an arc; a seventh is not counted. */
export function addClient(set: ClientSet, print: number): void {
  const { prints } = set;
  if (prints.length === 0) set.prints = single[print] ?? [print];
  else if (prints.length < maxCountedClients && !prints.includes(print))
    set.prints = withLast(prints, print);
}

/** Adds fingerprints to a set; they must be made with the same salt as its own. */
export function addClients(set: ClientSet, prints: readonly number[]): void {
  // A set takes over a list of several as a whole; with fewer, it keeps one of those that sets share.
  if (set.prints.length > 0 || prints.length < 2) for (const each of prints) addClient(set, each);
  else set.prints = prints.slice(0, maxCountedClients);
}

/** Returns whether at least `clients` distinct clients were counted under the present salt or under an earlier one. */
export function hasAtLeast({ prints, seen }: ClientSet, clients: number): boolean {
  return prints.length >= clients || seen % neverNext >= clients;
}

/** Replaces the fingerprints of a set by their count, in `seen`, because the salt that made them is discarded. */
export function endEra(set: ClientSet): void {
  const { length } = set.prints;
  if (length > 0) set.seen = mergedSeen(set.seen, neverNext + length);
  set.prints = nobody;
}
