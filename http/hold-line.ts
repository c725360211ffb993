// The Hold-Line field (Hauck 1994, "Optimizing Latency of the HTTP Protocol", 2.1). In a request it says that the
// client can hold the connection after the reply, and for how long; in a reply, that the server will.

/** Longer times are taken for this one, seconds. */
export const longestHold = 3600;

/**
 * Reads the value of a field line.
 * @returns Seconds; null: for an unsaid time; undefined: the value is none, and so as if there were no field.
 */
export function parseHoldLine(value: string): number | null | undefined {
  const written = value.trim();
  if (written === '') return null;
  if (!/^\d{1,9}$/.test(written)) return undefined;
  return Math.min(Number(written), longestHold);
}
