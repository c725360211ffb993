// Whether a response of a pipeline is one to another request of it. HTTP/1.1 matches them by order alone, so a server
// that answers in another order is seen only where responses tell what they are: by Content-Type or Content-Location,
// against what was asked for, or by two that are to each other's requests, as image sizes in the markup or the entity
// tags of stored responses say. One that merely differs from what was expected says nothing: images are shown scaled,
// types are sloppy, and contents change.

import { fieldValue, type HeaderPair } from '../../http/header-pairs.ts';
import { mediaType } from '../../http/media-type.ts';
import type { CacheResponse } from '../cache/entry.ts';
import type { ResourceKind, ResourceRecord } from '../page-load.ts';
import type { RequestPlan } from '../request/request-plan.ts';
import type { Naming } from '../scan/reference.ts';
import { scriptType } from './content-types.ts';

export interface Asked {
  readonly row: Pick<ResourceRecord, 'url' | 'kind' | 'width' | 'height'>;
  readonly how: Naming;
  readonly plan: Pick<RequestPlan, 'validation'>;
  /** null: it has not come. */
  readonly response: CacheResponse | null;
}

/** @param others Requests in flight with it, and those answered before it. */
export function isOfAnother(one: Asked, others: readonly Asked[]): boolean {
  const { row, response } = one;
  if (response === null || response.status >= 400) return false;
  const came = kindOf(response);
  const asked = askedFor(row.kind);
  const isForeign = came !== null && asked !== null && came !== asked;
  const location = fieldValue(response.headers, 'content-location');
  const place = location === '' ? null : URL.parse(location, row.url)?.href;
  return others.some((other) => {
    if (place === other.row.url && place !== row.url) return true;
    const isOwn = other.response !== null && kindOf(other.response) === came;
    if (isForeign && askedFor(other.row.kind) === came && !isOwn) return true;
    return areSwapped(sizesOf, one, other) || areSwapped(tagsOf, one, other);
  });
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

function areSwapped(signs: Sign, one: Asked, other: Asked): boolean {
  const [expected, came] = signs(one);
  if (expected === '' || came === '' || expected === came) return false;
  const [expectedThere, cameThere] = signs(other);
  return came === expectedThere && cameThere === expected;
}

/** null: any type may answer it. */
function askedFor(kind: ResourceKind): ResourceKind | null {
  if (kind === 'icon') return 'image';
  return clear.has(kind) ? kind : null;
}

const clear = new Set<ResourceKind>(['document', 'stylesheet', 'script', 'image', 'font']);

/** null: its type does not tell. */
function kindOf({
  status,
  headers,
}: {
  status: number;
  headers: HeaderPair[];
}): ResourceKind | null {
  if (status !== 200 && status !== 206) return null;
  const [type = ''] = mediaType(headers).split(';');
  // Fonts may be SVG, too.
  if (type === '' || type === 'image/svg+xml') return null;
  if (type === 'text/html') return 'document';
  if (type === 'text/css') return 'stylesheet';
  if (scriptType.test(type)) return 'script';
  return type.startsWith('image/') ? 'image' : type.startsWith('font/') ? 'font' : null;
}
