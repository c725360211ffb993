// What advice is given on: the record of a load, its bodies, and what was tried on them.

import { fieldValue } from '../../http/header-pairs.ts';
import type { PageLoad, ResourceRecord } from '../page-load.ts';
import type { Look } from './look.ts';

/** An image in another format. */
export interface Conversion {
  format: 'png' | 'webp' | 'avif';
  /** null: every pixel is the same. */
  quality: number | null;
  bytes: number;
}

export interface ImageTrial {
  format: string;
  frames: number;
  /** The format has lost nothing, as GIF and PNG. */
  isLossless: boolean;
  /** null: not a still image of modest size. */
  look: Look | null;
  conversions: Conversion[];
}

/** Answer to a request for a part of the largest resource. */
export interface RangeTrial {
  url: string;
  status: number;
}

export interface Trials {
  /** By URL. */
  images: ReadonlyMap<string, ImageTrial>;
  /** null: not tried. */
  range: RangeTrial | null;
  /** What was not tried, and why. */
  untried: readonly string[];
  /** Those of `untried` that might have saved something. */
  uncounted: readonly string[];
}

/** A response that came over the network and is what the page uses. */
export interface Loaded {
  row: ResourceRecord;
  /** null: not given. */
  body: Buffer | null;
}

/** An img of the document. */
export interface ImageTag {
  /** Of the resource; null: not known. */
  url: string | null;
  alt: string;
  /** A browser knows its shape before the image comes. */
  hasSize: boolean;
}

export interface Subject {
  load: PageLoad;
  /** Where redirects led; null: it did not load. */
  document: Loaded | null;
  /** Good responses from the network, the document first. */
  loaded: readonly Loaded[];
  imageTags: readonly ImageTag[];
  trials: Trials;
}

export const noTrials: Trials = { images: new Map(), range: null, untried: [], uncounted: [] };

/** @param bodies decoded, by URL */
export function loadedOf(load: PageLoad, bodies: ReadonlyMap<string, Buffer>): Loaded[] {
  return load.resources
    .filter(
      ({ status, error, fromCache, prefetched, purpose, attempts }) =>
        status === 200 &&
        error === null &&
        !fromCache &&
        !prefetched &&
        purpose === 'use' &&
        attempts > 0,
    )
    .map((row) => ({ row, body: bodies.get(row.url) ?? null }));
}

/** All lines of a field of the response, joined. @param name in lower case */
export const answered = ({ responseHeaders }: ResourceRecord, name: string): string =>
  fieldValue(responseHeaders, name);
