// One access to a site, as used throughout prefetchd: from a request, a log line, or the API.

export type AccessKind = 'document' | 'object';

export const accessKinds: readonly AccessKind[] = ['document', 'object'];

/** Which navigation an embedded object is for: `current`: the requested page, `next`: a page that comes after it. */
export type Navigation = 'current' | 'next';

export interface Access {
  /** The client: address and user agent, or a pseudonym; equal strings are the same client. */
  client: string;
  /** Normalised (normalise-url.ts): path and query of one site, or an absolute URL. */
  url: string;
  /** Time of the access, ms since the epoch. */
  timeMs: number;
  /** `document`: navigated to. `object`: embedded in a document. */
  kind: AccessKind;
  /** HTTP status. */
  status: number;
  /** Bytes of the response body; 0 if unknown. */
  bytes: number;
  /** A prefetch: it neither enters windows nor gets hints. */
  prefetch: boolean;
  /** Time from reading the request to sending the response, ms; absent if unknown. */
  durationMs?: number;
  /** For an object: the page of the site that contains it, which the client is therefore showing. */
  page?: string;
  /** w for this access only, at least 2: it follows at most w - 1 earlier ones. Capped at the predictor's w. */
  window?: number;
  /** GETALL or GETLIST (Padmanabhan 1995, 5): URLs sent along; neither candidates now nor accesses. */
  alsoSent?: readonly string[];
}
