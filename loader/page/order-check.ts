// Detects whether a pipelined response answers another request of its pipeline. HTTP/1.1 matches responses to requests
// by order alone, so a server that answers out of order is noticed only if a response contradicts its own request, by
// its Content-Type or Content-Location, or if two responses fit each other's requests, by image sizes in the markup or
// by entity tags of stored responses. A response that merely differs from what was expected proves nothing: images are
// shown scaled, media types are sloppy, and contents change.

import { fieldValue } from '../../http/header-pairs.ts';
import type { CacheResponse } from '../cache/entry.ts';
import type { ResourceKind, ResourceRecord } from '../page-load.ts';
import type { RequestPlan } from '../request/request-plan.ts';
import type { Naming } from '../scan/reference.ts';
import { scriptType } from './discovery.ts';

export interface OrderedRequest {
  readonly row: Pick<ResourceRecord, 'url' | 'kind' | 'mimeType' | 'width' | 'height'>;
  readonly how: Naming;
  readonly plan: Pick<RequestPlan, 'validation'>;
  /** The response to the request; null: none has arrived. */
  readonly response: CacheResponse | null;
}

/**
 * Whether the response to `one` belongs to one of the other requests.
 * @param others Requests in flight at the same time, and those answered before.
 */
export function isOfAnother(one: OrderedRequest, others: () => readonly OrderedRequest[]): boolean {
  const { row, response } = one;
  if (response === null || response.status >= 400) return false;
  const signs: Array<(other: OrderedRequest) => boolean> = [];
  const [came, asked] = [kindOf(one), askedFor(row.kind)];
  if (came !== null && asked !== null && came !== asked) {
    signs.push((other) => askedFor(other.row.kind) === came && kindOf(other) !== came);
  }
  const location = fieldValue(response.headers, 'content-location');
  const place = location === '' ? row.url : URL.parse(location, row.url)?.href;
  if (place !== row.url) signs.push((other) => other.row.url === place);
  for (const sign of [sizesOf, tagsOf]) {
    const [expected, came] = sign(one);
    if (expected === '' || came === '' || expected === came) continue;
    signs.push((other) => {
      const [expectedThere, cameThere] = sign(other);
      return came === expectedThere && cameThere === expected;
    });
  }
  return signs.length > 0 && others().some((other) => signs.some((sign) => sign(other)));
}

/** Returns a property that reveals swapped responses: the value expected of a response, and that which it has; '':
 *  unknown. */
type Sign = (one: OrderedRequest) => readonly [expected: string, came: string];

const sizesOf: Sign = ({ row, how: { shownSize } }) => [
  shownSize === undefined ? '' : `${shownSize.width} ${shownSize.height}`,
  row.width === null ? '' : `${row.width} ${row.height}`,
];

const tagsOf: Sign = ({ plan: { validation }, response }) => [
  fieldValue(validation?.entry.headers ?? [], 'etag'),
  fieldValue(response?.headers ?? [], 'etag'),
];

/** Returns the kind that a response to a request for `kind` must have; null: it may have any media type. */
function askedFor(kind: ResourceKind): ResourceKind | null {
  if (kind === 'icon') return 'image';
  return clear.has(kind) ? kind : null;
}

const clear = new Set<ResourceKind>(['document', 'stylesheet', 'script', 'image', 'font']);

/** Returns the kind of the response; null: it has not arrived, or its media type is inconclusive. */
function kindOf({ row: { mimeType: type }, response }: OrderedRequest): ResourceKind | null {
  // An SVG may be an image or a font, so that type is inconclusive.
  const { status } = response ?? {};
  if ((status !== 200 && status !== 206) || type === '' || type === 'image/svg+xml') return null;
  if (type === 'text/html') return 'document';
  if (type === 'text/css') return 'stylesheet';
  if (scriptType.test(type)) return 'script';
  return type.startsWith('image/') ? 'image' : type.startsWith('font/') ? 'font' : null;
}
