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
  | 'document'
  /** An origin to connect to; nothing is requested. */
  | 'connection';

/** As the developer tools of Chromium name them. */
export type Priority = 'highest' | 'high' | 'medium' | 'low' | 'lowest';

export interface Reference {
  /** Absolute, http or https, without fragment. */
  url: string;
  kind: ReferenceKind;
  /** URL of the document, style sheet or module that names it. */
  initiator: string;
  /** What names it: `img srcset`, `link href`, `@import`, `background-image`. */
  from: string;
  /**
   * The attribute alone: `srcset`, of a Link header that of the same link element. Absent: text names it, of a style
   * sheet, style element or module.
   */
  attribute?: string;
  /**
   * Where it is named: of a document, the `<` of the tag, in bytes (of text: as UTF-8); of a style sheet or module, the
   * declaration, in characters. 0 for a header.
   */
  offset: number;
  priority: Priority;
  /** In words, where something is special about it: `blocks rendering`. */
  why?: string;
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
  /** Of an img with width and height: pixels of CSS, at which it may be shown scaled. */
  shownSize?: { width: number; height: number };
  /** A module script: its static imports are fetched, too. */
  isModule?: true;
}

/** What a browser would not fetch, and why. */
export interface Skipped
  extends Pick<Reference, 'kind' | 'initiator' | 'from' | 'attribute' | 'offset'> {
  /** Absolute, or as written if it is no URL. */
  url: string;
  /** In words: `inside a template`. */
  why: string;
}

/** One that is fetched; not an origin to connect to. */
export type ResourceReference = Reference & { kind: Exclude<ReferenceKind, 'connection'> };

export const isResource = (reference: Reference): reference is ResourceReference =>
  reference.kind !== 'connection';

/** How a resource is named, before any redirect, and so how it is to be fetched; {} for the page itself. */
export type Naming = Partial<Omit<Reference, 'kind' | 'initiator'>>;

export function namingOf({ kind, initiator, ...naming }: Reference): Naming {
  return naming;
}

/**
 * The absolute URL of a reference; null if a page load cannot fetch it.
 * @param encoding Of the document, for its queries.
 */
export function resolveReference(written: string, base: URL, encoding: string): string | null {
  if (plainPath.test(written) && isHttp(base)) return atBase(written, base);
  const url = URL.parse(withEncodedQuery(written, encoding), base.href);
  if (url === null || !isHttp(url)) return null;
  // Never sent or reported. Setting them takes longer than the rest, so only where they are.
  if (url.username !== '' || url.password !== '') url.username = url.password = '';
  if (written.includes('#')) url.hash = '';
  return url.href;
}

const isHttp = ({ protocol }: URL): boolean => protocol === 'http:' || protocol === 'https:';

/**
 * Names that a URL has as they are written, with none that means another place (`..`). Most references are such, and to
 * parse them takes a sixth of the scanner's time.
 */
const plainPath = /^\/?(?:[\w-][\w.-]*\/)*[\w-][\w.-]*$/;

function atBase(path: string, { origin, pathname }: URL): string {
  if (path.startsWith('/')) return origin + path;
  return origin + pathname.slice(0, pathname.lastIndexOf('/') + 1) + path;
}
