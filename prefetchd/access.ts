// Defines an access to a site, as used throughout prefetchd; it comes from a request, a log line, or the API. The table
// of its fields (`accessTable`) is also the schema of an access in JSON (wire/access-json.ts).

import {
  listOf,
  number,
  oneOf,
  orNull,
  textOfLength,
  trueOrFalse,
  wholeNumber,
} from '../options/kinds.ts';
import {
  looseObjectOf,
  objectOf,
  option,
  optionWithoutDefault,
  required,
  type ValuesOf,
} from '../options/options.ts';

export type AccessKind = 'document' | 'object';

export const accessKinds: readonly AccessKind[] = ['document', 'object'];

/** The page that an embedded object is for: `current`: the requested page, `next`: a page that comes after it. */
export type Navigation = 'current' | 'next';

/** Longest URL of a site that is learned or hinted, characters. */
export const longestUrl = 2048;

export const accessUrl = textOfLength({ least: 1, most: longestUrl });

export const accessClient = textOfLength({ least: 1, most: 512 });

export const accessHost = textOfLength({ least: 1, most: 512 });

export const milliseconds = orNull(number, { least: 0, most: 86_400_000 });

const vitalsTable = {
  /** Time to First Byte of the page, as its browser measured it */
  ttfbMs: required(milliseconds),
  /** First Contentful Paint of the page, as its browser measured it */
  fcpMs: required(milliseconds),
  /** Largest Contentful Paint of the page, as its browser measured it */
  lcpMs: required(milliseconds),
  /** Interaction to Next Paint of the page, as its browser measured it */
  inpMs: option(milliseconds, null),
};

const accessTable = {
  /** The client: its address, a blank, and its user agent; only a salted pseudonym of it is kept */
  client: required(accessClient),
  /** URL that the access is about: path and query, or an absolute URL */
  url: required(accessUrl),
  /** The requested host: each host is a site; absent: the host of an absolute `url`, else that of the main site */
  host: optionWithoutDefault(accessHost),
  /** Time of the access, ms since the epoch; absent: now */
  timeMs: optionWithoutDefault(number({})),
  /** Kind of the URL; absent: the extension of its path decides */
  kind: optionWithoutDefault(oneOf(accessKinds)),
  /** HTTP status of the response */
  status: option(wholeNumber({ least: 100, most: 599 }), 200),
  /** Bytes of the response body */
  bytes: option(number({ least: 0 }), 0),
  /** How long the server took to respond to the request */
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
  /** The page from which the URL was requested (Referer). The client shows that page, so a hint to it counts as used */
  page: optionWithoutDefault(accessUrl),
  /** Window (w) of this access alone: it follows at most w - 1 earlier ones of its client; at most the service's w */
  window: optionWithoutDefault(wholeNumber({ least: 2, most: 100 })),
  /** URLs of resources that are sent along with the response, so that they need no hints */
  alsoSent: optionWithoutDefault(listOf(accessUrl, 'a list of strings', 1000)),
};

/** The schema of an access in JSON, as in docs/openapi.json; unknown members are reported (learning-routes.ts). */
export const accessKind = looseObjectOf(accessTable);

export const accessFields: readonly string[] = Object.keys(accessTable);

/** How fast a page was shown, as web-vitals measures it, ms; null: the time is not known. */
export type PageVitals = ValuesOf<typeof vitalsTable>;

/** An access whose time and kind are known, with a normalised URL (normalise-url.ts). */
export type Access = ValuesOf<typeof accessTable> & { timeMs: number; kind: AccessKind };

/** Makes the access for a request for the speculation rules of a page: it reports that the browser shows that page. */
export const shownByRules = (of: Pick<Access, 'client' | 'url' | 'timeMs'>): Access => ({
  ...of,
  kind: 'document',
  status: 200,
  bytes: 0,
  prefetch: false,
  shown: true,
  byRules: true,
});
