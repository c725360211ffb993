// Reads and writes accesses and hints in the JSON of the HTTP API: requests have one Access, a list, or {"accesses":
// [...]}; responses have {"hints": [...]}. Invalid input throws nothing: an error names the place and the rule, and the
// other accesses count. Only own properties with known names are read, so no name can do harm.

import {
  listOf,
  number,
  oneOf,
  orNull,
  textOfLength,
  trueOrFalse,
  wholeNumber,
} from '../../options/kinds.ts';
import {
  looseObjectOf,
  objectOf,
  option,
  optionWithoutDefault,
  read,
  required,
  type TableOf,
} from '../../options/options.ts';
import { type Access, type AccessKind, accessKinds, type PageVitals } from '../access.ts';
import { normaliseDefaults } from '../normalise-url.ts';
import { type Hint, isProbability, mostHintsRead, navigationOf, readHint } from './hint.ts';

export interface AccessJsonOptions {
  /** Time of accesses that state none, ms since the epoch. */
  nowMs: number;
  /** Returns the kind of an access that states none, from its path without query. */
  kindOfPath: (path: string) => AccessKind;
  /** Limit on accesses in a body; a body with more is rejected. */
  maxAccesses?: number;
}

export const accessJsonDefaults = {
  maxAccesses: 1000,
  maxUrlCharacters: normaliseDefaults.maxCharacters,
} as const;

export interface AccessJsonError {
  /** Location of the error: `accesses[3].url`; `url` for a single access; '' for the body itself. */
  place: string;
  /** Location, rule and value in words: `accesses[3].url must be a string, not 7`. */
  message: string;
}

export const mostErrors = 20;

export const accessUrl = textOfLength({ least: 1, most: accessJsonDefaults.maxUrlCharacters });

export const accessHost = textOfLength({ least: 1, most: 512 });

const milliseconds = orNull(number, { least: 0, most: 86_400_000 });

const vitalsTable = {
  /** Time to First Byte */
  ttfbMs: required(milliseconds),
  /** First Contentful Paint */
  fcpMs: required(milliseconds),
  /** Largest Contentful Paint */
  lcpMs: required(milliseconds),
  /** Interaction to Next Paint */
  inpMs: option(milliseconds, null),
} satisfies TableOf<PageVitals>;

const accessTable = {
  /** The client: its address, a blank, and its user agent; only a salted pseudonym of it is kept */
  client: required(textOfLength({ least: 1, most: 512 })),
  /** Path and query, or an absolute URL */
  url: required(accessUrl),
  /** The requested host: each host is a site; absent: the host of an absolute `url`, else that of the main site */
  host: optionWithoutDefault(accessHost),
  /** Time of the access, ms since the epoch; absent: now */
  timeMs: optionWithoutDefault(number({})),
  /** Kind of the URL; absent: the extension of its path decides */
  kind: optionWithoutDefault(oneOf(accessKinds)),
  /** HTTP status */
  status: option(wholeNumber({ least: 100, most: 599 }), 200),
  /** Bytes of the response body */
  bytes: option(number({ least: 0 }), 0),
  /** How long the server took to respond */
  durationMs: optionWithoutDefault(number({ least: 0 })),
  /** Whether the request was a prefetch, which is not learned */
  prefetch: option(trueOrFalse(), false),
  /** Whether somebody clicked a link or typed the address, as the browser says (`Sec-Fetch-User: ?1`) */
  userActivated: optionWithoutDefault(trueOrFalse()),
  /**
   * Whether a page was opened from elsewhere (another site, a bookmark, the address bar), so that it follows no other
   * page; false: it was opened from a page of this site; absent: not known
   */
  entry: optionWithoutDefault(trueOrFalse()),
  /** Whether a page's response said `X-Robots-Tag: noindex`, so that the page is not learned, and no longer hinted */
  noindex: optionWithoutDefault(trueOrFalse()),
  /** How long the browser may show a page's response again without asking the server; absent: not known */
  freshMs: optionWithoutDefault(number({ least: 0 })),
  /** Whether speculation rules caused a prefetch, as `Sec-Fetch-Dest: document` says; absent: not known */
  byRules: optionWithoutDefault(trueOrFalse()),
  /** Whether the browser tells when a prefetched page is shown: it asks for its speculation rules, or sends a beacon */
  tellsShown: optionWithoutDefault(trueOrFalse()),
  /** The access is not a request, but the browser's report that it shows a page, which it had already */
  shown: optionWithoutDefault(trueOrFalse()),
  /** The access is not a request, but a report that the URL was fetched ahead for `page` and not opened from there */
  unused: optionWithoutDefault(trueOrFalse()),
  /** The access is not a request, but a report how fast the browser showed the URL; the link to it was on `page` */
  vitals: optionWithoutDefault(objectOf(vitalsTable)),
  /** With `shown`: whether the URL is the image that was the Largest Contentful Paint of `page` */
  isLargest: optionWithoutDefault(trueOrFalse()),
  /** The page that names the URL, as the Referer says; the client shows that page, so a hint of that page was of use */
  page: optionWithoutDefault(accessUrl),
  /** Window (w) for this access alone, which follows at most w - 1 earlier accesses; at most the w of the service */
  window: optionWithoutDefault(wholeNumber({ least: 2, most: 100 })),
  /** URLs of what is sent along with the response, so that these are not hinted */
  alsoSent: optionWithoutDefault(listOf(accessUrl, 'a list of strings', 1000)),
} satisfies TableOf<Access>;

/** The schema of an access in JSON, as in docs/openapi.json; unknown members are reported (learning-routes.ts). */
export const accessKind = looseObjectOf(accessTable);

export const accessFields: readonly string[] = Object.keys(accessTable);

/** Reads the valid accesses of a parsed JSON body in their order, and the first 20 errors. */
export function parseAccesses(
  body: unknown,
  options: AccessJsonOptions,
): { accesses: Access[]; errors: AccessJsonError[] } {
  const { maxAccesses } = { ...accessJsonDefaults, ...options };
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
    if (typeof url !== 'string' || url === '' || url.length > normaliseDefaults.maxCharacters)
      continue;
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
