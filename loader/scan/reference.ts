// A reference of a page to a resource.

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
  /** JSON and other data, named by a preload or imported by a module. */
  | 'fetch'
  | 'icon'
  | 'manifest'
  /** The document of a frame, object or embed. */
  | 'document'
  /** An origin to connect to; nothing is requested. */
  | 'connection';

/** Priority of a request, named as in Chromium's developer tools. */
export type Priority = 'highest' | 'high' | 'medium' | 'low' | 'lowest';

export interface Reference {
  /** Absolute URL of the resource, http or https, without fragment. */
  url: string;
  kind: ReferenceKind;
  /** URL of the document, style sheet or module that names the resource. */
  initiator: string;
  /** The place that names the resource: `img srcset`, `link href`, `@import`, `background-image`. */
  from: string;
  /**
   * The attribute in `from`, such as `srcset`; for a Link header, that of the equivalent link element. Absent: the text
   * of a style sheet, style element or module names the resource.
   */
  attribute?: string;
  /**
   * Position of the reference, in characters: in a document, that of the tag's `<`; in a style sheet or module, that of
   * the declaration or statement. 0 for a header field.
   */
  offset: number;
  priority: Priority;
  /** What is special about the reference, in words: `blocks rendering`. */
  why?: string;
  /** Whether rendering or the parser waits for the resource. */
  isBlocking: boolean;
  /** Whether the resource is fetched after everything that the page needs: print style sheets, icons. */
  isLate: boolean;
  /** The CORS mode of the request, as `crossorigin`, a font or a module script requires. Absent: without CORS. */
  crossOrigin?: 'anonymous' | 'use-credentials';
  /**
   * The policy of `referrerpolicy` or a preceding <meta name=referrer>. Absent: the Referrer-Policy field applies.
   */
  referrerPolicy?: ReferrerPolicy;
  /** Subresource Integrity metadata of the reference, as written. */
  integrity?: string;
  /** Width and height attributes of the img, CSS pixels; the image may be shown scaled to them. */
  shownSize?: { width: number; height: number };
  /** Whether the resource is a module script, whose static imports are fetched, too. */
  isModule?: true;
}

/** A resource that a browser would not fetch, with the reason. */
export interface Skipped
  extends Pick<Reference, 'kind' | 'initiator' | 'from' | 'attribute' | 'offset'> {
  /** Absolute URL, or the text as written if it is not a URL. */
  url: string;
  /** Why a browser would not fetch the resource, in words: `inside a template`. */
  why: string;
}

/** A reference to a resource that is fetched, not to an origin to connect to. */
export type ResourceReference = Reference & { kind: Exclude<ReferenceKind, 'connection'> };

export const isResource = (reference: Reference): reference is ResourceReference =>
  reference.kind !== 'connection';

/** The parts of a reference that decide how its resource is fetched, also after redirects; {} for the page itself. */
export type Naming = Partial<Omit<Reference, 'kind' | 'initiator'>>;

export function namingOf({ kind, initiator, ...naming }: Reference): Naming {
  return naming;
}

/**
 * Returns the absolute URL of a reference; null if a page load cannot fetch it.
 * @param encoding Name of the encoding of the document, in which a query is encoded.
 */
export function resolveReference(written: string, base: URL, encoding: string): string | null {
  const url = URL.parse(withEncodedQuery(written, encoding), base.href);
  if (url === null || !/^https?:$/.test(url.protocol)) return null;
  // Credentials are never sent or reported. To remove them is slow, so it is done only for URLs that have some.
  if (url.username !== '' || url.password !== '') url.username = url.password = '';
  if (written.includes('#')) url.hash = '';
  return url.href;
}
