// Interprets the fields of an envelope's part: the URL that it answers, and the response that it carries. An envelope
// is the response to a Get-All request, multipart/mixed with the document first. This module has no side effects.

import { nameList } from '../../http/field-syntax.ts';
import { fieldValue, type HeaderPair, hasField, withoutFields } from '../../http/header-pairs.ts';
import { hopByHop } from '../../http/hop-by-hop.ts';
import type { CacheRequest } from '../cache/entry.ts';

export interface PartHead {
  /** URL of the same origin as the page, without fragment. */
  url: string;
  status: 200 | 304;
  headers: HeaderPair[];
}

/** Fields that an envelope moves into the document's part, and fields about the envelope itself. */
const ofEnvelope = new Set([
  'age',
  'cache-control',
  'content-encoding',
  'content-language',
  'content-length',
  'content-type',
  'etag',
  'expires',
  'last-modified',
  'transfer-encoding',
  'vary',
]);

/** Fields that do not describe a representation. Servers send no response that sets cookies as a part. */
const notOfPart = new Set([...hopByHop, 'content-location', 'set-cookie', 'set-cookie2', 'status']);

/** The document's fields: those of its part, and those of the envelope that apply to the document. */
export function documentHeaders(envelope: readonly HeaderPair[], part: HeaderPair[]): HeaderPair[] {
  return [...withoutFields(envelope, ofEnvelope), ...withoutFields(part, notOfPart)];
}

/**
 * @param page URL of the document. @param envelope Fields of the envelope, whose Date applies to its parts as well.
 * @returns null: the part has another origin, no valid Content-Location, or a status other than 200 and 304.
 */
export function partHead(
  fields: HeaderPair[],
  page: URL,
  envelope: readonly HeaderPair[],
): PartHead | null {
  const place = fieldValue(fields, 'content-location');
  // URL parsers read `\` as `/`, so `/\host` would name another origin.
  if (!/^\/(?![/\\])[\x21-\x7e]*$/.test(place) || /[#\\]/.test(place)) return null;
  const url = URL.parse(place, page.href);
  if (url === null || url.origin !== page.origin) return null;
  const [, digits] =
    /^(\d{3})(?: [\x20-\x7e]*)?$/.exec(fieldValue(fields, 'status') || '200') ?? [];
  const status = Number(digits);
  if (status !== 200 && status !== 304) return null;
  const headers = withoutFields(fields, notOfPart);
  const date = fieldValue(envelope, 'date');
  if (date !== '' && !hasField(headers, 'date')) headers.push(['date', date]);
  return { url: url.href, status, headers };
}

/**
 * Whether the request for the document would have selected the same response as the one for the resource alone
 * (RFC 9111 4.1).
 */
export function isSelectedByBoth(
  headers: readonly HeaderPair[],
  document: CacheRequest,
  resource: CacheRequest,
): boolean {
  return nameList(fieldValue(headers, 'vary')).every((name) => {
    if (name === 'get-all') return true;
    // Any request accepts a response without a content coding.
    if (name === 'accept-encoding' && !hasField(headers, 'content-encoding')) return true;
    const one = fieldValue(document.headers, name);
    return name !== '*' && one === fieldValue(resource.headers, name);
  });
}
