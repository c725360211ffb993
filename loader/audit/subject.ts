// What advice is given on: the record of a load, its bodies, and what was tried on them.

import { cacheDirectives } from '../../http/cache-directives.ts';
import { fieldValue } from '../../http/header-pairs.ts';
import { explicitLifetimeMs } from '../cache/policy/freshness.ts';
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

export interface Reuse {
  /** null: the response states none. */
  lifetimeMs: number | null;
  hasValidator: boolean;
  /** no-store. */
  isForbidden: boolean;
  /** no-cache: validated each time, as its author wants. */
  isAlwaysValidated: boolean;
}

/**
 * What a response says about its reuse (RFC 9111): the two kinds of advice on it share this.
 * @param startedAtMs when the load began, by the wall clock
 */
export function reuseOf({ row }: Loaded, startedAtMs: number): Reuse {
  const directives = cacheDirectives(row.responseHeaders);
  const receivedAtMs = startedAtMs + (row.responseStartMs ?? 0);
  const { responseHeaders: headers } = row;
  return {
    lifetimeMs: explicitLifetimeMs({ headers, receivedAtMs, requestedAtMs: receivedAtMs }, false),
    hasValidator: answered(row, 'etag') !== '' || answered(row, 'last-modified') !== '',
    isForbidden: directives.has('no-store'),
    isAlwaysValidated: directives.has('no-cache'),
  };
}

/** The bytes of a response's header section. */
export const headBytes = ({ row }: Loaded): number => row.transferBytes - row.encodedBytes;
