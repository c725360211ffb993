// Number formats for people, the same in every report: times in ms or s, bytes in decimal kB (1 kB = 1000 bytes, as
// for network rates), counts with thousands grouped. Figures have about three significant digits: enough to compare
// rows, short enough for a column. The ticks of time axes have labels in the same units.

const byteUnits = ['B', 'kB', 'MB', 'GB', 'TB'] as const;

/** Formats a number of bytes: `70 B`, `1.2 kB`, `125 kB`. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < byteUnits.length - 1) {
    value /= 1000;
    unit++;
  }
  const digits = unit === 0 || value >= 99.95 ? 0 : 1;
  return `${value.toFixed(digits)} ${byteUnits[unit]}`;
}

/** Formats a time: `6.61 ms`, `44.1 ms`, `523 ms`, `2.30 s`; `-` for a missing one. */
export function formatMs(ms: number | null): string {
  if (ms === null) return '-';
  return Math.abs(ms) < 999.5 ? `${threeDigits(ms)} ms` : `${threeDigits(ms / 1000)} s`;
}

/** Formats a count with its thousands grouped: `173,512`. */
export function formatCount(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** Formats a count with what is counted: `1 request`, `43 requests`. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

/** Rounds to 0.001 ms, the documented resolution of reports; never -0. */
export function roundMs(ms: number): number {
  return Math.round(ms * 1000) / 1000 + 0;
}

/** Returns a copy of plain data in which every number whose name ends in `Ms` is rounded to 0.001. */
export function roundTimes<Data>(data: Data): Data {
  return JSON.parse(JSON.stringify(data), (key, value) =>
    key.endsWith('Ms') && typeof value === 'number' ? roundMs(value) : value,
  );
}

function threeDigits(value: number): string {
  const size = Math.abs(value);
  return value.toFixed(size < 9.995 ? 2 : size < 99.95 ? 1 : 0);
}

export interface TimeTick {
  atMs: number;
  /** The text beside the tick: `0`, `20 ms`, `1.5 s`. */
  label: string;
}

/**
 * Returns the ticks of a readable time axis from 0 to `endMs`: about `count`, at most one more. They are at 1, 2 or 5
 * times a power of ten, all in one unit, and at least 0.001 ms apart, because closer ticks would have equal labels.
 */
export function timeTicks(endMs: number, count: number): TimeTick[] {
  const rough = Math.max(0.001, endMs / Math.max(1, count));
  const power = 10 ** Math.floor(Math.log10(rough));
  const stepMs = power * ([1, 2, 5].find((factor) => factor * power >= rough) ?? 10);
  const inSeconds = endMs >= 1000;
  const ticks: TimeTick[] = [];
  for (let i = 0; i * stepMs <= endMs; i++) {
    const atMs = roundMs(i * stepMs);
    const label = inSeconds ? `${roundMs(atMs / 1000)} s` : `${atMs} ms`;
    ticks.push({ atMs, label: i === 0 ? '0' : label });
  }
  return ticks;
}
