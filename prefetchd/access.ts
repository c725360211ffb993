// Defines an access to a site, as used throughout prefetchd; it comes from a request, a log line, or the API.

export type AccessKind = 'document' | 'object';

export const accessKinds: readonly AccessKind[] = ['document', 'object'];

/** The page that an embedded object is for: `current`: the requested page, `next`: a page that comes after it. */
export type Navigation = 'current' | 'next';

/** How fast a page was shown, as web-vitals measures it, ms; null: the time is not known. */
export interface PageVitals {
  /** Time to First Byte. */
  ttfbMs: number | null;
  /** First Contentful Paint. */
  fcpMs: number | null;
  /** Largest Contentful Paint. */
  lcpMs: number | null;
  /** Interaction to Next Paint, measured until the page was left. */
  inpMs: number | null;
}

export interface Access {
  /** Address and user agent of the client, or a pseudonym; equal strings are the same client. */
  client: string;
  /** Normalised URL (normalise-url.ts): path and query of one site, or an absolute URL. */
  url: string;
  /** The requested host, with its port if that is unusual: other hosts are other sites (engine/sites.ts). Absent: the
   *  host of `url` if that is absolute, else the main site. */
  host?: string;
  /** Time of the access, ms since the epoch. */
  timeMs: number;
  /** `document`: the URL was navigated to. `object`: a document embeds it. */
  kind: AccessKind;
  status: number;
  /** Bytes of the response body; 0 if unknown. */
  bytes: number;
  /** The request was a prefetch, so it is not one of the client's latest accesses, from which predictions are made. */
  prefetch: boolean;
  /** Of a page: how long the browser may use the response without revalidating it, ms; absent: not known. A response
   *  that speculation rules prefetched may be shown until the next page is opened, whatever its lifetime. */
  freshMs?: number;
  /** Of a prefetch: speculation rules caused it, so the page is shown without another request; absent: not known. Of a
   *  report that a page is `shown`: it is the browser's request for the speculation rules of the page. */
  byRules?: boolean;
  /** Of a prefetch: the browser will report when it shows the page, as browsers that know speculation rules do. */
  tellsShown?: boolean;
  /** Of a page: it was opened from elsewhere (another site, a bookmark, the address bar), so it follows no page of the
   *  client; false: from a page of this site; absent: not known (rules/navigation-start.ts). */
  entry?: boolean;
  /** A person clicked or typed the address, according to the browser (Sec-Fetch-User: ?1, Fetch Metadata 2.4). */
  userActivated?: boolean;
  /** Time from reading the request to sending the response, ms; absent if unknown. */
  durationMs?: number;
  /** Of a page: its response had `X-Robots-Tag: noindex`, so it is not learned, and no longer hinted. */
  noindex?: boolean;
  /** This is no request: the browser reports that it shows the page, which it had already. */
  shown?: boolean;
  /** This is no request: the browser fetched the URL ahead for `page`, and left `page` without opening the URL. */
  unused?: boolean;
  /** This is no request: it reports how fast the browser showed `url`, opened from `page`. */
  vitals?: PageVitals;
  /** With `shown`: `url` is an image, the Largest Contentful Paint of `page`. */
  isLargest?: boolean;
  /** The page of this site from which the browser requested the URL, according to Referer; so the client has that page
   *  open. */
  page?: string;
  /** Window (w) for this access only: it follows at most w - 1 earlier accesses. From 2 to the predictor's w. */
  window?: number;
  /** URLs that came along in the same response, by GETALL or GETLIST (Padmanabhan 1995, 5): they are not hinted now,
   *  and do not count as accesses. */
  alsoSent?: readonly string[];
}

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
