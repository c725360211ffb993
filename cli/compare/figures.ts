// Computes the figures of a comparison: for each network, way to load and kind of visit the median and the extremes,
// and the load's time as a multiple of the least time that the network permits.

import { type Spread, spreadOf } from '../../loader/report/runs.ts';
import type { LinkCounts, WireCounts } from './link-process.ts';
import type { LinkSettings } from './links.ts';
import type { Combination, Sample } from './runs.ts';

/** Figures of one load; a row of the comparison has the median and the extremes of each. null: unknown. */
export const figures = {
  /** Time until page and resources had arrived, ms; `sizesKnownMs`: until the size of every image was known. */
  completeMs: ({ load }) => load.completeMs,
  sizesKnownMs: ({ load }) => load.sizesKnownMs,
  packetsUp: ({ wire }) => wire?.up.packets ?? null,
  packetsDown: ({ wire }) => wire?.down.packets ?? null,
  /** Bytes of IP packets, headers included. */
  bytesUp: ({ wire }) => wire?.up.bytes ?? null,
  bytesDown: ({ wire }) => wire?.down.bytes ?? null,
  /** Share of TCP's and IP's header bytes in all bytes, per cent (Nielsen, Gettys et al. 1997: %ov). */
  overheadPercent: ({ wire }) =>
    wire && (100 * both(wire, 'headerBytes')) / (both(wire, 'bytes') || 1),
  packetBytes: ({ wire }) => wire && both(wire, 'bytes') / (both(wire, 'packets') || 1),
  packetsPerConnection: ({ wire }) => wire && both(wire, 'packets') / (wire.up.connections || 1),
  dropped: ({ wire }) => wire && both(wire, 'dropped'),
  connections: ({ load }) => load.connections,
  requests: ({ load }) => load.requests,
  writes: ({ load }) => load.writes,
} satisfies Record<string, (sample: Sample) => number | null>;

const both = ({ up, down }: LinkCounts, count: keyof WireCounts) => up[count] + down[count];

/** The figures of all loads of one page over one network, in one way and at one kind of visit. */
export type ComparisonRow = ReturnType<typeof rowsOf>[number];

/** Returns a key of the loads that need the same least time (floor): network, visit, and what `wayOf` changes. */
const groupOf = ({ link, visit, way }: Pick<Combination, 'link' | 'visit' | 'way'>): string =>
  [link, visit, way.replace(/^[^:]*/, '')].join();

export function rowsOf(
  combinations: readonly Combination[],
  links: readonly (LinkSettings | null)[],
) {
  return combinations.map(({ samples, ...combination }) => {
    const settings = links.find((one) => one?.name === combination.link) ?? null;
    const alike = combinations.filter((one) => groupOf(one) === groupOf(combination));
    const whole = alike.flatMap((one) => one.samples).filter(({ load }) => load.error === null);
    const fewest = Math.min(...whole.map(({ wire }) => wire?.down.bytes ?? 0));
    const floor = settings && whole.length > 0 ? floorMs(settings, fewest) : null;
    const times =
      floor === null ? [] : samples.map(({ load }) => load.completeMs && load.completeMs / floor);
    const spreads = Object.entries(figures).map(([name, of]) => [name, spreadOf(samples.map(of))]);
    const found: Record<keyof typeof figures, Spread | null> = Object.fromEntries(spreads);
    return {
      ...combination,
      ...found,
      /** Times divided by the least time (`floorMs`) for the bytes of the group's smallest whole load; null: unknown. */
      timesFloor: spreadOf(times),
      /** The largest number of resources that failed in one load; `error` is the reason of the first failure. */
      errors: Math.max(0, ...samples.map(({ load }) => load.errors)),
      error: samples.find(({ load }) => load.error !== null)?.load.error ?? null,
    };
  });
}

/** Usual first congestion window, segments (RFC 6928). */
const usualWindow = 10;

/** Returns the least time, ms, for so many bytes on one connection: a round trip for the handshake, one for the first
 *  request, and the time of the bytes at the link's rate or as slow start lets them go, whichever is longer. */
export function floorMs(settings: LinkSettings, bytes: number): number {
  const { delayMs, downBitsPerSecond, initialWindow, mtuBytes, up } = settings;
  const roundTripMs = delayMs + (up.delayMs ?? delayMs);
  const msOf = (some: number) => (some * 8 * 1e3) / downBitsPerSecond;
  let sent = 0;
  let ms = 2 * roundTripMs;
  for (let window = (initialWindow ?? usualWindow) * mtuBytes; sent < bytes; window *= 2) {
    const now = Math.min(window, bytes - sent);
    sent += now;
    // The server sends the next window once this one has left and its first acknowledgment is back.
    ms += sent < bytes ? Math.max(roundTripMs, msOf(now)) : msOf(now);
  }
  return ms;
}
