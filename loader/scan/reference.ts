// What a scanner finds: one thing the page needs.

import { withEncodedQuery } from './query-encoding.ts';
import type { ReferrerPolicy } from './referrer-policy.ts';

export interface Reference {
  /** Absolute, http or https, without fragment. */
  url: string;
  kind: 'stylesheet' | 'script' | 'image';
  /** It is asked for by CORS: `crossorigin`, or a module script. Absent: it is not. */
  crossOrigin?: 'anonymous' | 'use-credentials';
  /** What `referrerpolicy` says, or <meta name=referrer> before it. Absent: the document's header field decides. */
  referrerPolicy?: ReferrerPolicy;
}

/** What an element says of how its resource is asked for. */
export type FetchSettings = Pick<Reference, 'crossOrigin' | 'referrerPolicy'>;

export type OnReference = (reference: Reference) => void;

/**
 * A reference as written, made absolute; null when it is no URL a page load can fetch.
 * @param encoding of the document: its queries are in it.
 */
export function resolveReference(written: string, base: URL, encoding: string): string | null {
  const url = URL.parse(withEncodedQuery(written, encoding), base.href);
  if (url === null) return null;
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return null;
  url.username = url.password = ''; // in no request and no report
  if (url.hash !== '' || url.href.endsWith('#')) url.hash = '';
  return url.href;
}
