// The set of clients behind an arc, precise enough for "at least k distinct ones" (k up to 6): up to six ten-bit
// fingerprints in two numbers. Equal clients have equal fingerprints, so a count is never too high. It is too low for
// about one in 340 sets of three, when two clients share a fingerprint. Sets from all processes can be united.
//
// A client is identified by the first word of its name, the address (access.ts), because user agents can be invented.
//
// Clients of a service are pseudonyms that change with its salt (salt.ts). When an era ends, its fingerprints lose
// their meaning; `seen` keeps the largest number of clients in any one era. A client that returns the next day is
// therefore not counted twice.

import { textHash } from '../../text-hash.ts';

export interface ClientSet {
  /** Three fingerprints each, ten bits a fingerprint; 0: none. */
  low: number;
  high: number;
  /** The largest number of clients in one earlier era, 0..6, plus `neverNext`. */
  seen: number;
}

/** Added to `seen` if in all counted cases another page of the site came between. Without it, as in data stored by
 *  earlier versions, the target may have been the next page. */
export const neverNext = 8;

export const maxCountedClients = 6;
const bits = 10;
const mask = 2 ** bits - 1;

/** The value `seen` of two parts of the same arc together. */
export function mergedSeen(one: number, other: number): number {
  return Math.max(one % neverNext, other % neverNext) | (one & other & neverNext);
}

/** A fingerprint, 1..1023, from a 32-bit hash. */
export function fingerprint(clientHash: number): number {
  return 1 + ((clientHash >>> 0) % mask);
}

/** Fingerprint of a client's name. */
export function fingerprintOf(client: string): number {
  const space = client.indexOf(' ');
  return fingerprint(textHash(space < 0 ? client : client.slice(0, space)));
}

/** Adds a client; a seventh is not counted. */
export function addClient(set: ClientSet, print: number): void {
  const low = added(set.low, print);
  if (low !== null) set.low = low;
  else set.high = added(set.high, print) ?? set.high;
}

/** True if at least `clients` distinct clients were seen in this era or in an earlier one. */
export function hasAtLeast(set: ClientSet, clients: number): boolean {
  const { low, high, seen } = set;
  const last = clients <= 3 ? low >>> (bits * (clients - 1)) : high >>> (bits * (clients - 4));
  return last !== 0 || seen % neverNext >= clients;
}

/** The fingerprints of this era. */
export function clientsOf({ low, high }: ClientSet): number[] {
  const prints = [];
  for (let rest = low; rest !== 0; rest >>>= bits) prints.push(rest & mask);
  for (let rest = high; rest !== 0; rest >>>= bits) prints.push(rest & mask);
  return prints;
}

/** Replaces the fingerprints by their number. */
export function endEra(set: ClientSet): void {
  const { length } = clientsOf(set);
  if (length > 0) set.seen = mergedSeen(set.seen, neverNext + length);
  set.low = set.high = 0;
}

/** @returns null if there is no room for the fingerprint */
function added(prints: number, print: number): number | null {
  for (let shift = 0; shift < 3 * bits; shift += bits) {
    const other = (prints >>> shift) & mask;
    if (other === print) return prints;
    if (other === 0) return prints | (print << shift);
  }
  return null;
}
