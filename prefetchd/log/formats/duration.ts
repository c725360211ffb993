// Converts the durations of log formats to ms. Undefined if absent or implausible: negative (AWS writes -1 for a
// request that was not forwarded) or longer than a day.

const dayMs = 86_400_000;

/** `0.004` or `12`: seconds. */
export function secondsMs(text: string | undefined): number | undefined {
  return scaledMs(text, 1000);
}

/** `132` or `0.4`: milliseconds. */
export function plainMs(text: string | undefined): number | undefined {
  return scaledMs(text, 1);
}

/** `310`: microseconds. */
export function microsecondsMs(text: string | undefined): number | undefined {
  return scaledMs(text, 1e-3);
}

/** `310000`: nanoseconds. */
export function nanosecondsMs(text: string | undefined): number | undefined {
  return scaledMs(text, 1e-6);
}

/** `1m2.5s`, `4.2ms`, `310µs`: a duration in Go's format. */
export function goMs(text: string): number | undefined {
  if (!/^(?:\d{1,15}(?:\.\d{1,15})?(?:h|ms|m|s|[uµμ]s|ns))+$/.test(text)) return undefined;
  let ms = 0;
  for (const [, amount, unit = ''] of text.matchAll(/([\d.]+)(h|ms|m|s|[uµμ]s|ns)/g)) {
    ms += Number(amount) * (msOfUnit[unit] ?? 1e-3);
  }
  return withinDay(ms);
}

const msOfUnit: Readonly<Record<string, number>> = {
  h: 3_600_000,
  m: 60_000,
  s: 1000,
  ms: 1,
  ns: 1e-6,
};

function scaledMs(text: string | undefined, factor: number): number | undefined {
  if (text === undefined || !/^\d{1,15}(?:\.\d{1,15})?(?:e-\d{1,2})?$/i.test(text))
    return undefined;
  return withinDay(Number(text) * factor);
}

/** Rounded to nanoseconds: 0.0009 s is 0.9 ms. */
function withinDay(ms: number): number | undefined {
  return ms <= dayMs ? Math.round(ms * 1e6) / 1e6 : undefined;
}
