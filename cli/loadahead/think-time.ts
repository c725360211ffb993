// How long a visitor stays on a page: as in the list or the log, not at all, the same time on every page, or the
// recorded time multiplied by a factor; never longer than a limit, because somebody waits for the walk.

import { CommandError } from '../command-error.ts';

export type Think = 'recorded' | 'none' | { everyMs: number } | { factor: number };

/** Stays of all walks, and how many of them `--max-think` cut. */
export interface Stays {
  cut: number;
  of: number;
  mostMs: number;
}

/** Time on a page whose time is not recorded. */
const usualThinkMs = 1_000;

/** `recorded`, `none`, `500`, `2s`, `x0.01`. @throws CommandError */
export function parseThink(text: string): Think {
  if (text === 'recorded' || text === 'none') return text;
  const factor = /^x(\d+(?:\.\d+)?|\.\d+)$/.exec(text)?.[1];
  if (factor !== undefined) return { factor: Number(factor) };
  const everyMs = parseDuration(text);
  if (everyMs === null) {
    const rule = 'recorded, none, a time (500 or 2s) or a factor (x0.01)';
    throw new CommandError(`--think must be ${rule}; got ${JSON.stringify(text)}`, 2);
  }
  return { everyMs };
}

/** `500`, `500ms` or `1.5s`, returned in ms; null if the text is no time. */
export function parseDuration(text: string): number | null {
  const [, number, unit] = /^(\d+(?:\.\d+)?|\.\d+)\s*(ms|s)?$/.exec(text) ?? [];
  return number === undefined ? null : Number(number) * (unit === 's' ? 1000 : 1);
}

/**
 * @param told Time in the list or the log, ms; null: none. @param mostMs Longest time on a page.
 * @returns How long the visitor stays, and whether that was cut to `mostMs`.
 */
export function stayOf(
  told: number | null,
  think: Think,
  mostMs: number,
): { thinkMs: number; isCut: boolean } {
  const wantedMs = asTold(told ?? usualThinkMs, think);
  return { thinkMs: Math.min(mostMs, wantedMs), isCut: wantedMs > mostMs };
}

function asTold(told: number, think: Think): number {
  if (think === 'recorded') return told;
  if (think === 'none') return 0;
  return 'factor' in think ? told * think.factor : think.everyMs;
}
