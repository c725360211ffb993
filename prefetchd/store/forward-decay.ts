// Ages stored counts without rewriting them (forward decay: Cormode et al. 2009). Counts are in units whose value falls
// over time: at `asOfMs` one access is worth 2^exponent units, and twice as many one half-life later. A count that is
// read is divided by the current units per access.
//
// Readers and writers supply the half-life, which applies to the time since `asOfMs`. A clock that was set back counts
// as one that stood still, so counts never grow by themselves.

export interface DecayState {
  /** Time of the last addition to the counts, ms since the epoch; an access at that time adds 2^exponent to a count. */
  asOfMs: number;
  exponent: number;
}

/** Above this exponent (`DecayState`) a store divides all its counts by 2^exponent, so that a new access is worth one
 *  unit again and counts do not overflow: doubles end at 2^1023. */
export const mostExponent = 400;

/** Largest tolerated clock difference between processes that share a store, ms. */
export const skewMs = 24 * 60 * 60 * 1000;

/** Returns the DecayState after an addition at `nowMs`: its exponent grows by one for each half-life since `asOfMs`. */
export function ageingAt(
  { asOfMs, exponent }: DecayState,
  nowMs: number,
  halfLifeMs: number | null,
): DecayState {
  if (nowMs < asOfMs) return { asOfMs: nowMs < asOfMs - skewMs ? nowMs : asOfMs, exponent };
  if (halfLifeMs === null) return { asOfMs: nowMs, exponent };
  const halfLives = Math.min((nowMs - asOfMs) / halfLifeMs, mostExponent);
  return { asOfMs: nowMs, exponent: exponent + halfLives };
}

/** Returns the number that an access at `asOfMs` adds to a stored count; it grows with time, so older accesses fade. */
export function unitOf({ exponent }: DecayState): number {
  return 2 ** exponent;
}
