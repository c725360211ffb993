// A resource that a page refers to.

import { withEncodedQuery } from './query-encoding.ts';
import type { ReferrerPolicy } from './referrer-policy.ts';

export type ReferenceKind =
  | 'stylesheet'
  | 'script'
  | 'image'
  | 'font'
  /** Audio or video. */
  | 'media'
  /** Subtitles of a video. */
  | 'track'
  /** JSON and other data that a preload names. */
  | 'fetch'
  | 'icon'
  | 'manifest'
  /** Of a frame, object or embed. */
  | 'document';

/** As the developer tools of Chromium name them. */
export type Priority = 'highest' | 'high' | 'medium' | 'low' | 'lowest';

export interface Reference {
  /** Absolute, http or https, without fragment. */
  url: string;
  kind: ReferenceKind;
  /** What names it: `img srcset`, `link href`. */
  from: string;
  /** Of the `<` of its tag, characters from the start of the document; 0 for a header. */
  offset: number;
  priority: Priority;
  /** Rendering, or the parser, waits for it. */
  isBlocking: boolean;
  /** Fetched after what the page needs: print style sheets, icons. */
  isLate: boolean;
  /** Fetched with CORS: `crossorigin`, or a module script. Absent: without. */
  crossOrigin?: 'anonymous' | 'use-credentials';
  /** From `referrerpolicy` or a preceding <meta name=referrer>. Absent: the document's header field applies. */
  referrerPolicy?: ReferrerPolicy;
  /** Subresource Integrity metadata, as written. */
  integrity?: string;
  /** A module script: its static imports are fetched, too. */
  isModule?: true;
}

/** What a browser would not fetch, and why. */
export interface Skipped extends Pick<Reference, 'kind' | 'from' | 'offset'> {
  /** Absolute, or as written if it is no URL. */
  url: string;
  /** In words: `inside a template`. */
  why: string;
}

/** How an element wants its resource to be fetched. */
export type FetchSettings = Pick<Reference, 'crossOrigin' | 'referrerPolicy'>;

export function fetchSettingsOf({ crossOrigin, referrerPolicy }: FetchSettings): FetchSettings {
  return {
    ...(crossOrigin !== undefined && { crossOrigin }),
    ...(referrerPolicy !== undefined && { referrerPolicy }),
  };
}

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
