// What a part of an envelope says: for which URL it is, and the response that it stands for. An envelope is the
// response to a Get-All request, multipart/mixed with the document first. Pure.

import { nameList } from '../../http/field-syntax.ts';
import { fieldValue, type HeaderPair, hasField, withoutFields } from '../../http/header-pairs.ts';
import { hopByHop } from '../../http/hop-by-hop.ts';
import type { CacheRequest } from '../cache/entry.ts';

export interface PartHead {
  /** Of the page's origin, without fragment. */
  url: string;
  status: 200 | 304;
  headers: HeaderPair[];
}

/** Fields of the envelope that move into the document's part, and those about the envelope itself. */
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

/** Not about a representation. A part sets no cookies: what sets some is not sent as a part. */
const notOfPart = new Set([...hopByHop, 'content-location', 'set-cookie', 'set-cookie2', 'status']);

/** The document's fields: those of its part, and what the envelope says besides. */
export function documentHeaders(envelope: readonly HeaderPair[], part: HeaderPair[]): HeaderPair[] {
  return [...withoutFields(envelope, ofEnvelope), ...withoutFields(part, notOfPart)];
}

/**
 * @param page URL of the document. @param envelope Fields of the envelope: its Date is that of its parts, too.
 * @returns null: the part is of another origin, says no valid place, or no status that parts have.
 */
export function partHead(
  fields: HeaderPair[],
  page: URL,
  envelope: readonly HeaderPair[],
): PartHead | null {
  const place = fieldValue(fields, 'content-location');
  // URL parsers take `\` for `/`, so `/\host` is another origin, too.
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
    // Any request accepts what is not coded.
    if (name === 'accept-encoding' && !hasField(headers, 'content-encoding')) return true;
    const one = fieldValue(document.headers, name);
    return name !== '*' && one === fieldValue(resource.headers, name);
  });
}
