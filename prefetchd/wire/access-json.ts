// Accesses and hints as the HTTP API carries them: one Access, a list, or {"accesses": [...]} in;
// {"hints": [...]} out; and both back. What is wrong is data: an error tells the place and the rule, and
// the other accesses stand. Only own properties with known names are read, so no name can do harm.

import type { Access, AccessKind } from '../access.ts';
import { normaliseDefaults } from '../normalise-url.ts';
import { type Hint, isProbability, mostHintsRead, navigationOf, readHint } from './hint.ts';

export interface AccessJsonOptions {
  /** The time of accesses that name none, ms since the epoch. */
  nowMs: number;
  /** The kind of accesses that name none, by their path without query. */
  kindOfPath: (path: string) => AccessKind;
  /** More in one body are refused whole. */
  maxAccesses?: number;
  /** Longer URLs are wrong, characters. */
  maxUrlCharacters?: number;
}

export const accessJsonDefaults = {
  maxAccesses: 1000,
  maxUrlCharacters: normaliseDefaults.maxCharacters,
} as const;

export interface AccessJsonError {
  /** Where: `accesses[3].url`; `url` for a single access; '' for the body itself. */
  place: string;
  /** Place, rule and value: `accesses[3].url must be a string, not 7`. */
  message: string;
}

const longestClient = 512;
const mostSentAlong = 1000;
const mostErrors = 20;

/** Accesses of a parsed JSON body in their order, and what is wrong with the others: the first 20 errors. */
export function parseAccesses(
  body: unknown,
  options: AccessJsonOptions,
): { accesses: Access[]; errors: AccessJsonError[] } {
  const { maxAccesses, maxUrlCharacters } = { ...accessJsonDefaults, ...options };
  const accesses: Access[] = [];
  const errors: AccessJsonError[] = [];
  const report = (place: string, message: string): undefined => {
    if (errors.length < mostErrors) errors.push({ place, message: `${place} ${message}` });
  };
  const settings = { ...options, maxUrlCharacters };
  const listed = isRecord(body) && Object.hasOwn(body, 'accesses') ? body.accesses : body;
  if (Array.isArray(listed)) {
    if (listed.length > maxAccesses) {
      report('accesses', `must have at most ${maxAccesses} entries, not ${listed.length}`);
      return { accesses, errors };
    }
    for (const [index, item] of listed.entries()) {
      const access = readAccess(item, `accesses[${index}]`, settings, report);
      if (access !== null) accesses.push(access);
    }
  } else if (listed !== body) {
    report('accesses', `must be a list, ${shown(listed)}`);
  } else if (isRecord(body)) {
    const access = readAccess(body, '', settings, report);
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
  settings: AccessJsonOptions & { maxUrlCharacters: number },
  report: Report,
): Access | null {
  if (!isRecord(item)) {
    report(place, `must be an object, ${shown(item)}`);
    return null;
  }
  const field = <T>(
    name: string,
    read: (value: unknown, at: string) => T | undefined,
    absent?: T,
  ) => {
    if (!Object.hasOwn(item, name) && absent !== undefined) return absent;
    const at = place === '' ? name : `${place}.${name}`;
    return read(Object.hasOwn(item, name) ? item[name] : undefined, at);
  };
  const numberIn =
    (rule: string, isIn: (value: number) => boolean) => (value: unknown, at: string) =>
      typeof value === 'number' && isIn(value)
        ? value
        : report(at, `must be ${rule}, ${shown(value)}`);
  const text = (most: number) => (value: unknown, at: string) => readText(value, at, most, report);

  const client = field('client', text(longestClient));
  const url = field('url', text(settings.maxUrlCharacters));
  const timeMs = field('timeMs', numberIn('a finite number', Number.isFinite), settings.nowMs);
  const kind = field(
    'kind',
    (value, at) =>
      isKind(value) ? value : report(at, `must be document or object, ${shown(value)}`),
    settings.kindOfPath(pathOf(url ?? '/')),
  );
  const isStatus = (value: number) => Number.isInteger(value) && value >= 100 && value <= 599;
  const status = field('status', numberIn('a whole number from 100 to 599', isStatus), 200);
  const isSize = (value: number) => Number.isFinite(value) && value >= 0;
  const bytes = field('bytes', numberIn('a number of at least 0', isSize), 0);
  const durationMs = Object.hasOwn(item, 'durationMs')
    ? field('durationMs', numberIn('a number of at least 0', isSize))
    : null;
  const prefetch = field(
    'prefetch',
    (value, at) =>
      typeof value === 'boolean' ? value : report(at, `must be true or false, ${shown(value)}`),
    false,
  );
  const window = Object.hasOwn(item, 'window')
    ? field('window', numberIn('a whole number from 2 to 100', isWindow))
    : null;
  const page = Object.hasOwn(item, 'page') ? field('page', text(settings.maxUrlCharacters)) : null;
  const sent = field<readonly string[]>(
    'alsoSent',
    (value, at) => readSentAlong(value, at, settings.maxUrlCharacters, report),
    [],
  );
  if (client === undefined || url === undefined || timeMs === undefined || kind === undefined)
    return null;
  if (status === undefined || bytes === undefined || prefetch === undefined) return null;
  if (sent === undefined || durationMs === undefined || page === undefined) return null;
  if (window === undefined) return null;
  return {
    ...{ client, url, timeMs, kind, status, bytes, prefetch },
    ...(durationMs !== null && { durationMs }),
    ...(page !== null && { page }),
    ...(window !== null && { window }),
    ...(sent.length > 0 && { alsoSent: sent }),
  };
}

function isWindow(value: number): boolean {
  return Number.isInteger(value) && value >= 2 && value <= 100;
}

function readText(value: unknown, at: string, most: number, report: Report): string | undefined {
  if (typeof value !== 'string') return report(at, `must be a string, ${shown(value)}`);
  if (value.length >= 1 && value.length <= most) return value;
  return report(at, `must have 1 to ${most} characters, not ${value.length}`);
}

function readSentAlong(
  value: unknown,
  at: string,
  most: number,
  report: Report,
): readonly string[] | undefined {
  if (!Array.isArray(value)) return report(at, `must be a list of strings, ${shown(value)}`);
  if (value.length > mostSentAlong) {
    return report(at, `must have at most ${mostSentAlong} entries, not ${value.length}`);
  }
  for (const [index, url] of value.entries()) {
    if (readText(url, `${at}[${index}]`, most, report) === undefined) return undefined;
  }
  return value;
}

/** The body for `POST /v1/accesses`. */
export function accessesJson(accesses: readonly Access[]): string {
  return JSON.stringify({ accesses });
}

/** The answer of `/v1/hints`. */
export function hintsJson(hints: readonly Hint[]): string {
  return JSON.stringify({
    hints: hints.map(({ url, probability, kind, navigation }) => ({
      url,
      probability,
      kind,
      navigation: navigationOf(kind, navigation),
    })),
  });
}

/** The hints of a parsed answer, as they were written. What is no hint is skipped; at most 100. */
export function parseHints(body: unknown): Hint[] {
  const listed = isRecord(body) && Object.hasOwn(body, 'hints') ? body.hints : [];
  if (!Array.isArray(listed)) return [];
  const hints: Hint[] = [];
  for (const item of listed) {
    if (hints.length >= mostHintsRead) break;
    if (!isRecord(item)) continue;
    const { url, probability, kind, navigation } = item;
    if (typeof url !== 'string' || url === '' || url.length > normaliseDefaults.maxCharacters)
      continue;
    if (!isProbability(probability) || !isKind(kind)) continue;
    hints.push(readHint(url, probability, kind, navigation));
  }
  return hints;
}

function pathOf(url: string): string {
  const path = url.startsWith('/') ? url : (URL.parse(url)?.pathname ?? url);
  return path.replace(/[?#].*$/s, '');
}

function isRecord(value: unknown): value is Record<string, unknown> {
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
