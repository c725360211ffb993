// What a comparison found, in figures: per combination the median and the extremes, and how far it is from the floor that
// the network sets.

import { type Spread, spreadOf } from '../../loader/report/runs.ts';
import type { LinkSettings } from './links.ts';
import type { CompareVisit } from './load-worker.ts';
import type { Combination, Sample, WayName } from './runs.ts';

export interface ComparisonRow {
  link: string;
  way: WayName;
  visit: CompareVisit;
  /** Time until everything had arrived, ms, and until the size of every image was known. */
  completeMs: Spread | null;
  sizesKnownMs: Spread | null;
  /** Median time divided by the least time that this network could take for the fewest bytes that a way needed; null:
   *  unknown. */
  timesFloor: number | null;
  packetsUp: Spread | null;
  packetsDown: Spread | null;
  /** Bytes of IP packets, headers included. */
  bytesUp: Spread | null;
  bytesDown: Spread | null;
  /** Share of TCP's and IP's header bytes in all bytes, per cent (Nielsen, Gettys et al. 1997: %ov). */
  overheadPercent: Spread | null;
  packetBytes: Spread | null;
  packetsPerConnection: Spread | null;
  dropped: Spread | null;
  connections: Spread | null;
  requests: Spread | null;
  writes: Spread | null;
  /** The most resources that failed in one run; `error` tells of the first that failed. */
  errors: number;
  error: string | null;
}

export function rowsOf(
  combinations: readonly Combination[],
  links: readonly (LinkSettings | null)[],
): ComparisonRow[] {
  return combinations.map((each) => {
    const { link, way, visit, samples } = each;
    const settings = links.find((one) => one?.name === link) ?? null;
    const alike = combinations.filter((one) => one.link === link && one.visit === visit);
    const least = Math.min(...alike.flatMap((one) => one.samples.map(bytesDown)));
    const completeMs = spreadOf(samples.map(({ load }) => load.completeMs));
    const floor = settings === null ? null : floorMs(settings, least);
    const wired = (value: (wire: NonNullable<Sample['wire']>) => number) =>
      spreadOf(samples.map(({ wire }) => (wire === null ? null : value(wire))));
    const loaded = (value: (load: Sample['load']) => number | null) =>
      spreadOf(samples.map(({ load }) => value(load)));
    return {
      link,
      way,
      visit,
      completeMs,
      sizesKnownMs: loaded((load) => load.sizesKnownMs),
      timesFloor: floor === null || completeMs === null ? null : completeMs.median / floor,
      packetsUp: wired(({ up }) => up.packets),
      packetsDown: wired(({ down }) => down.packets),
      bytesUp: wired(({ up }) => up.bytes),
      bytesDown: wired(({ down }) => down.bytes),
      overheadPercent: wired(
        ({ up, down }) =>
          (100 * (up.headerBytes + down.headerBytes)) / (up.bytes + down.bytes || 1),
      ),
      packetBytes: wired(
        ({ up, down }) => (up.bytes + down.bytes) / (up.packets + down.packets || 1),
      ),
      packetsPerConnection: wired(
        ({ up, down, connections }) => (up.packets + down.packets) / (connections || 1),
      ),
      dropped: wired(({ up, down }) => up.dropped + down.dropped),
      connections: loaded((load) => load.connections),
      requests: loaded((load) => load.requests),
      writes: loaded((load) => load.writes),
      errors: Math.max(0, ...samples.map(({ load }) => load.errors)),
      error: samples.find(({ load }) => load.error !== null)?.load.error ?? null,
    };
  });
}

const bytesDown = ({ wire }: Sample): number => wire?.down.bytes ?? 0;

/** Usual first congestion window, segments (RFC 6928). */
const usualWindow = 10;

/**
 * Returns the least time, ms, for so many bytes on one connection: a round trip for the handshake, one for the first
 * request, and the time of the bytes at the link's rate or as slow start lets them go, whichever is longer.
 */
export function floorMs(settings: LinkSettings, bytes: number): number {
  const { delayMs, downBitsPerSecond, initialWindow, mtuBytes } = settings;
  const roundTripMs = 2 * delayMs;
  const msOf = (some: number) => (some * 8 * 1e3) / downBitsPerSecond;
  let sent = 0;
  let ms = 2 * roundTripMs;
  for (let window = (initialWindow ?? usualWindow) * mtuBytes; sent < bytes; window *= 2) {
    const now = Math.min(window, bytes - sent);
    sent += now;
    // The next window begins when the first acknowledgment of this one is back, or when this one has left.
    ms += sent < bytes ? Math.max(roundTripMs, msOf(now)) : msOf(now);
  }
  return ms;
}
