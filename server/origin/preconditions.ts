// Judges conditional requests (RFC 9110 13). It is pure: it takes the request's fields and the validators of the
// selected representation, and returns a verdict in the order of precedence of 13.2.2.

import type { IncomingHttpHeaders } from 'node:http';
import fresh from 'fresh';

export interface Validators {
  /** Strong entity tag with its quotes. */
  readonly etag: string;
  /** Value of Last-Modified, an HTTP-date. */
  readonly lastModified: string;
}

export type PreconditionVerdict = 'proceed' | 'not-modified' | 'failed';

function listsStrongly(field: string, etag: string): boolean {
  if (field.trim() === '*') return true;
  // The tags of this server contain no commas, so splitting another server's tag at a comma cannot produce a match.
  return field.split(',').some((tag) => tag.trim() === etag);
}

export function evaluatePreconditions(
  headers: IncomingHttpHeaders,
  { etag, lastModified }: Validators,
): PreconditionVerdict {
  const ifMatch = headers['if-match'];
  const ifUnmodifiedSince = headers['if-unmodified-since'];
  if (ifMatch !== undefined) {
    // Entity tags are compared strongly (RFC 9110 13.1.1).
    if (!listsStrongly(ifMatch, etag)) return 'failed';
  } else if (ifUnmodifiedSince !== undefined) {
    // If-Unmodified-Since is ignored unless it is a date (RFC 9110 13.1.4).
    if (Date.parse(lastModified) > Date.parse(ifUnmodifiedSince)) return 'failed';
  }

  // `fresh` compares entity tags weakly, and If-Modified-Since counts only without If-None-Match (RFC 9110 13.1.2,
  // 13.1.3). It does not get the request's Cache-Control, because it would answer a no-cache request in full: that
  // directive is for caches, and this is the origin.
  const conditions = {
    'if-none-match': headers['if-none-match'],
    'if-modified-since': headers['if-modified-since'],
  };
  return fresh(conditions, { etag, 'last-modified': lastModified }) ? 'not-modified' : 'proceed';
}

/**
 * Returns whether a Range may be honoured under If-Range (RFC 9110 13.1.5): only for a matching strong entity tag. A
 * date never matches: every response here has an entity tag, so no conforming client sends a date, and one second is
 * too coarse to exclude two changes.
 */
export function ifRangeHolds(headers: IncomingHttpHeaders, etag: string): boolean {
  const ifRange = headers['if-range'];
  return ifRange === undefined || String(ifRange).trim() === etag;
}
