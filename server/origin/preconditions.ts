// Conditional requests (RFC 9110 13). Pure: the request's fields and the validators of the selected
// representation in, a verdict out, in the order of precedence of 13.2.2.

import type { IncomingHttpHeaders } from 'node:http';
import fresh from 'fresh';

export interface Validators {
  /** A strong entity tag with its quotes. */
  readonly etag: string;
  /** An HTTP-date. */
  readonly lastModified: string;
}

export type Verdict = 'proceed' | 'not-modified' | 'failed';

function listsStrongly(field: string, etag: string): boolean {
  if (field.trim() === '*') return true;
  // Our tags hold no commas, so cutting a foreign tag at one cannot make a match.
  return field.split(',').some((tag) => tag.trim() === etag);
}

export function evaluatePreconditions(
  headers: IncomingHttpHeaders,
  { etag, lastModified }: Validators,
): Verdict {
  const ifMatch = headers['if-match'];
  const ifUnmodifiedSince = headers['if-unmodified-since'];
  if (ifMatch !== undefined) {
    // 13.1.1: strong comparison.
    if (!listsStrongly(ifMatch, etag)) return 'failed';
  } else if (ifUnmodifiedSince !== undefined) {
    // 13.1.4: ignored when it is not a date.
    if (Date.parse(lastModified) > Date.parse(ifUnmodifiedSince)) return 'failed';
  }

  // 13.1.2 and 13.1.3: weak comparison; If-Modified-Since counts only without If-None-Match. The
  // request's Cache-Control is kept from `fresh`, which would answer a no-cache request in full: that
  // directive speaks to caches, and this is the origin.
  const conditions = {
    'if-none-match': headers['if-none-match'],
    'if-modified-since': headers['if-modified-since'],
  };
  return fresh(conditions, { etag, 'last-modified': lastModified }) ? 'not-modified' : 'proceed';
}

/**
 * Whether a Range may be honoured under If-Range (13.1.5): only for a strong entity tag that matches.
 * A date never does: every answer of ours carries an entity tag, so no conforming client sends a date,
 * and one second is too coarse to know that the file did not change twice in it.
 */
export function ifRangeHolds(headers: IncomingHttpHeaders, etag: string): boolean {
  const ifRange = headers['if-range'];
  return ifRange === undefined || String(ifRange).trim() === etag;
}
