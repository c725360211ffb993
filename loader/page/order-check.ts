// Whether a response of a pipeline is one to another request of it. HTTP/1.1 matches them by order alone, so a server
// that answers in another order is seen only where responses tell what they are: by Content-Type or Content-Location,
// against what was asked for, or by two that are to each other's requests, as image sizes in the markup or the entity
// tags of stored responses say. One that merely differs from what was expected says nothing: images are shown scaled,
// types are sloppy, and contents change.

import { fieldValue } from '../../http/header-pairs.ts';
import type { CacheResponse } from '../cache/entry.ts';
import type { ResourceKind, ResourceRecord } from '../page-load.ts';
import type { RequestPlan } from '../request/request-plan.ts';
import type { Naming } from '../scan/reference.ts';
import { scriptType } from './discovery.ts';

export interface Asked {
  readonly row: Pick<ResourceRecord, 'url' | 'kind' | 'mimeType' | 'width' | 'height'>;
  readonly how: Naming;
  readonly plan: Pick<RequestPlan, 'validation'>;
  /** null: it has not come. */
  readonly response: CacheResponse | null;
}

/** @param others Requests in flight with it, and those answered before it. */
export function isOfAnother(one: Asked, others: () => readonly Asked[]): boolean {
  const { row, response } = one;
  if (response === null || response.status >= 400) return false;
  const signs: Array<(other: Asked) => boolean> = [];
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

/** What was expected of a response, and what came; '': nothing is known. */
type Sign = (one: Asked) => readonly [expected: string, came: string];

const sizesOf: Sign = ({ row, how: { shownSize } }) => [
  shownSize === undefined ? '' : `${shownSize.width} ${shownSize.height}`,
  row.width === null ? '' : `${row.width} ${row.height}`,
];

const tagsOf: Sign = ({ plan: { validation }, response }) => [
  fieldValue(validation?.entry.headers ?? [], 'etag'),
  fieldValue(response?.headers ?? [], 'etag'),
];

/** null: any type may answer it. */
function askedFor(kind: ResourceKind): ResourceKind | null {
  if (kind === 'icon') return 'image';
  return clear.has(kind) ? kind : null;
}

const clear = new Set<ResourceKind>(['document', 'stylesheet', 'script', 'image', 'font']);

/** null: it has not come, or its type does not tell. */
function kindOf({ row: { mimeType: type }, response }: Asked): ResourceKind | null {
  // Fonts may be SVG, too.
  const { status } = response ?? {};
  if ((status !== 200 && status !== 206) || type === '' || type === 'image/svg+xml') return null;
  if (type === 'text/html') return 'document';
  if (type === 'text/css') return 'stylesheet';
  if (scriptType.test(type)) return 'script';
  return type.startsWith('image/') ? 'image' : type.startsWith('font/') ? 'font' : null;
}
