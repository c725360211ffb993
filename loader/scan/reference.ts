// A resource that a page refers to.

import { withEncodedQuery } from './query-encoding.ts';
import type { ReferrerPolicy } from './referrer-policy.ts';

export interface Reference {
  /** Absolute, http or https, without fragment. */
  url: string;
  kind: 'stylesheet' | 'script' | 'image';
  /** Fetched with CORS: `crossorigin`, or a module script. Absent: without. */
  crossOrigin?: 'anonymous' | 'use-credentials';
  /** From `referrerpolicy` or a preceding <meta name=referrer>. Absent: the document's header field applies. */
  referrerPolicy?: ReferrerPolicy;
}

/** How an element wants its resource to be fetched. */
export type FetchSettings = Pick<Reference, 'crossOrigin' | 'referrerPolicy'>;

export type OnReference = (reference: Reference) => void;

/**
 * The absolute URL of a reference; null if a page load cannot fetch it.
 * @param encoding Of the document, for its queries.
 */
export function resolveReference(written: string, base: URL, encoding: string): string | null {
  const url = URL.parse(withEncodedQuery(written, encoding), base.href);
  if (url === null) return null;
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return null;
  url.username = url.password = ''; // never sent or reported
  if (url.hash !== '' || url.href.endsWith('#')) url.hash = '';
  return url.href;
}
