// Reads and writes accesses and hints in the JSON of the HTTP API: requests have one Access, a list, or {"accesses":
// [...]}; responses have {"hints": [...]}. Invalid input throws nothing: an error names the place and the rule, and the
// other accesses count. Only own properties with known names are read, so no name can do harm.

import { read } from '../../options/options.ts';
import { type Access, type AccessKind, accessKind, longestUrl } from '../access.ts';
import { type Hint, isProbability, mostHintsRead, navigationOf, readHint } from './hint.ts';

export interface AccessJsonOptions {
  /** Time of accesses that state none, ms since the epoch. */
  nowMs: number;
  /** Returns the kind (page or embedded object) of an access that states none, from its path without query. */
  kindOfPath: (path: string) => AccessKind;
  /** Limit on accesses in a body; a body with more is rejected. */
  maxAccesses?: number;
}

const usualMaxAccesses = 1000;

export interface AccessJsonError {
  /** Location of the error: `accesses[3].url`; `url` for a single access; '' for the body itself. */
  place: string;
  /** Location, rule and value in words: `accesses[3].url must be a string, not 7`. */
  message: string;
}

export const mostErrors = 20;

/** Reads the valid accesses of a parsed JSON body in their order, and the first 20 errors. */
export function parseAccesses(
  body: unknown,
  options: AccessJsonOptions,
): { accesses: Access[]; errors: AccessJsonError[] } {
  const { maxAccesses = usualMaxAccesses } = options;
  const accesses: Access[] = [];
  const errors: AccessJsonError[] = [];
  const report = (place: string, message: string): undefined => {
    if (errors.length < mostErrors) errors.push({ place, message: `${place} ${message}` });
  };
  const listed = isRecord(body) && Object.hasOwn(body, 'accesses') ? body.accesses : body;
  if (Array.isArray(listed)) {
    if (listed.length > maxAccesses) {
      report('accesses', `must have at most ${maxAccesses} entries, not ${listed.length}`);
      return { accesses, errors };
    }
    for (const [index, item] of listed.entries()) {
      const access = readAccess(item, `accesses[${index}]`, options, report);
      if (access !== null) accesses.push(access);
    }
  } else if (listed !== body) {
    report('accesses', `must be a list, ${shown(listed)}`);
  } else if (isRecord(body)) {
    const access = readAccess(body, '', options, report);
    if (access !== null) accesses.push(access);
  } else {
    const rule = 'the body must be an access, a list of accesses or {"accesses": [...]}';
    errors.push({ place: '', message: `${rule}, ${shown(body)}` });
  }
  return { accesses, errors };
}

type Report = (place: string, message: string) => undefined;

function readAccess(
  item: unknown,
  place: string,
  { nowMs, kindOfPath }: AccessJsonOptions,
  report: Report,
): Access | null {
  const reading = read(accessKind, item);
  if ('problems' in reading) {
    for (const problem of reading.problems) {
      report([place, problem.place].filter(Boolean).join('.'), problem.message);
    }
    return null;
  }
  const { timeMs = nowMs, kind, alsoSent = [], ...access } = reading.value;
  return {
    ...access,
    timeMs,
    kind: kind ?? kindOfPath(pathOf(access.url)),
    ...(alsoSent.length > 0 && { alsoSent }),
  };
}

/** Returns the body that reports these accesses to `POST /v1/accesses`. */
export function accessesJson(accesses: readonly Access[]): string {
  return JSON.stringify({ accesses });
}

/** Returns the response body of `/v1/hints`. @param more Further fields of the body */
export function hintsJson(hints: readonly Hint[], more: object = {}): string {
  return JSON.stringify({
    hints: hints.map(
      ({ url, probability, kind, navigation, hasBeacon, byRulesOnly, isLargest, isLate }) => ({
        url,
        probability,
        kind,
        navigation: navigationOf(kind, navigation),
        hasBeacon,
        byRulesOnly,
        isLargest,
        isLate,
      }),
    ),
    ...more,
  });
}

const hintFlags = ['hasBeacon', 'byRulesOnly', 'isLargest', 'isLate'] as const;

/** Reads the hints of a prefetchd's parsed answer, in its order. Invalid ones are skipped; at most 100 are read. */
export function parseHints(body: unknown): Hint[] {
  const listed = isRecord(body) && Object.hasOwn(body, 'hints') ? body.hints : [];
  if (!Array.isArray(listed)) return [];
  const hints: Hint[] = [];
  for (const item of listed) {
    if (hints.length >= mostHintsRead) break;
    if (!isRecord(item)) continue;
    const { url, probability, kind, navigation } = item;
    if (typeof url !== 'string' || url === '' || url.length > longestUrl) continue;
    if (!isProbability(probability) || !isKind(kind)) continue;
    const hint = readHint(url, probability, kind, navigation);
    for (const flag of hintFlags) if (item[flag] === true) hint[flag] = true;
    hints.push(hint);
  }
  return hints;
}

function pathOf(url: string): string {
  const path = url.startsWith('/') ? url : (URL.parse(url)?.pathname ?? url);
  return path.replace(/[?#].*$/s, '');
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isKind(value: unknown): value is AccessKind {
  return value === 'document' || value === 'object';
}

function shown(value: unknown): string {
  if (value === undefined) return 'but is missing';
  if (Array.isArray(value)) return 'not a list';
  if (typeof value === 'object' && value !== null) return 'not an object';
  const text = typeof value === 'string' ? JSON.stringify(value.slice(0, 40)) : String(value);
  return `not ${text}`;
}
