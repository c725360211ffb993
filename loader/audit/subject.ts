// Describes the input of an audit: the record of a load, its bodies, and the results of converting its images.

import { fieldValue } from '../../http/header-pairs.ts';
import type { PageLoad, ResourceRecord } from '../page-load.ts';

/** An image that was converted to another format. */
export interface Conversion {
  format: 'png' | 'webp' | 'avif';
  /** Quality of a conversion with loss; null: every pixel is the same as before. */
  quality: number | null;
  bytes: number;
}

/** Properties of an image, counted on its pixels. */
export interface Look {
  width: number;
  height: number;
  /** Number of different colours; all transparent pixels count as one. */
  colours: number;
  isTransparent: boolean;
  /** Whether each row, or each column, has one colour. */
  isStriped: boolean;
  /**
   * Share of the pixels (0..1) that have the most common colour of their column or, if these are more, of their row:
   * the background of words, plain or a gradient.
   */
  ground: number;
}

export interface ImageTrial {
  format: string;
  frames: number;
  /** Whether the image's format is lossless, like GIF and PNG. */
  isLossless: boolean;
  /** Properties of the image's pixels; null: it is not a still image of moderate size. */
  look: Look | null;
  conversions: Conversion[];
}

export interface Trials {
  /** The result of converting each image, by URL. */
  images: ReadonlyMap<string, ImageTrial>;
  /** Images that were not converted, in words, with the reason. Other formats might have saved something. */
  untried: readonly string[];
}

/** A response that arrived over the network and is used by the page. */
export interface Loaded {
  row: ResourceRecord;
  /** The decoded body; null: the caller of the audit did not supply it. */
  body: Buffer | null;
}

/** An img element of the document. */
export interface ImageTag {
  /** URL of the image; null: unknown. */
  url: string | null;
  alt: string;
  /** Whether a browser knows the image's shape from the markup, before the image arrives. */
  hasSize: boolean;
}

export interface Subject {
  load: PageLoad;
  /** The page's document, after redirects; null: it did not load. */
  document: Loaded | null;
  /** Successful responses from the network, the document first. */
  loaded: readonly Loaded[];
  imageTags: readonly ImageTag[];
  trials: Trials;
}

export const noTrials: Trials = { images: new Map(), untried: [] };

/** Whether the page itself requested this resource from the network: not from the cache, and not by a prefetch. */
export const isOwn = ({ fromCache, prefetched, purpose, attempts }: ResourceRecord): boolean =>
  !fromCache && !prefetched && purpose === 'use' && attempts > 0;

/** Selects the successful responses that came over the network for the page. @param bodies Decoded bodies by URL */
export function loadedOf(load: PageLoad, bodies: ReadonlyMap<string, Buffer>): Loaded[] {
  return load.resources
    .filter((row) => row.status === 200 && row.error === null && isOwn(row))
    .map((row) => ({ row, body: bodies.get(row.url) ?? null }));
}

/** Returns all lines of a response's header field, joined. @param name Name of the field in lower case */
export const answered = ({ responseHeaders }: ResourceRecord, name: string): string =>
  fieldValue(responseHeaders, name);
