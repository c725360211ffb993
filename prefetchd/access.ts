// One access to a site, as everything in prefetchd sees it: from a request, a log line, or the API.

export type AccessKind = 'document' | 'object';

export const accessKinds: readonly AccessKind[] = ['document', 'object'];

/** Which navigation an embedded object is for: `current`: of the page asked about, `next`: of a page that comes after it. */
export type Navigation = 'current' | 'next';

export interface Access {
  /** Who: an address and user agent, or a pseudonym; equal strings are the same client. */
  client: string;
  /** Normalised (see normalise-url.ts): path and query of one site, or an absolute URL. */
  url: string;
  /** When, ms since the epoch. Never read from a clock in here. */
  timeMs: number;
  /** `document`: navigated to. `object`: embedded in a document. */
  kind: AccessKind;
  /** HTTP status. */
  status: number;
  /** Bytes of the response's body; 0 when unknown. */
  bytes: number;
  /** The client was prefetching: it neither feeds windows nor asks for hints. */
  prefetch: boolean;
  /** How long the server took, request read to response sent, ms; absent when not known. */
  durationMs?: number;
  /** Of an embedded object: the page of the site that it is in, which the client shows therefore. */
  page?: string;
  /** w for this access alone, at least 2: it follows at most so many earlier ones less one; more than the predictor's
   *  w is that. */
  window?: number;
  /** GETALL or GETLIST (Padmanabhan 1995, 5): what was sent along: no candidate now, and no access. */
  alsoSent?: readonly string[];
}
