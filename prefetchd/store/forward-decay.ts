// Ageing without touching what is kept (forward decay: Cormode et al. 2009): counts are kept in units that
// shrink in worth as time goes by. `exponent` says it: at `asOfMs` one access is worth 2^exponent units,
// a half life later twice as many. What is read is divided by the units an access is worth then.
//
// The half life is a matter of who reads or adds: the time since `asOfMs` is measured with his.
// A clock that was set back is taken for one that stood still, so no count ever grows by itself.

export interface Ageing {
  /** Of the last addition, ms since the epoch. */
  asOfMs: number;
  exponent: number;
}

/** Beyond it a store brings its units back to one for each access; doubles end at 1023. */
export const mostExponent = 400;

/** What is worth less than this many accesses when that is done is dropped. */
export const leastAccesses = 2 ** -100;

/** Clocks of processes that share a store may differ by so much. */
const skewMs = 60 * 60 * 1000;

/** The ageing of an addition at `nowMs`. */
export function ageingAt(
  { asOfMs, exponent }: Ageing,
  nowMs: number,
  halfLifeMs: number | null,
): Ageing {
  if (nowMs < asOfMs) return { asOfMs: nowMs < asOfMs - skewMs ? nowMs : asOfMs, exponent };
  if (halfLifeMs === null) return { asOfMs: nowMs, exponent };
  const halfLives = Math.min((nowMs - asOfMs) / halfLifeMs, mostExponent);
  return { asOfMs: nowMs, exponent: exponent + halfLives };
}

/** Units that one access at `asOfMs` is worth. */
export function unitOf({ exponent }: Ageing): number {
  return 2 ** exponent;
}
