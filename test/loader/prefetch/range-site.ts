// A site with one large picture that can be had in parts, and a home page that hints at it.

import { type RawServer, response, type SeenRequest } from '../../support/raw-server.ts';
import { type Answer, fresh, startSite } from './site.ts';

/** No two places of it look the same, so that a part in the wrong place is seen. */
export const picture = Buffer.from(Array.from({ length: 100_000 }, (_, at) => (at * at) % 251));

export const pictureFields = { ...fresh, 'Content-Type': 'image/png', ETag: '"1"' };

const toPicture = '</big.png>; rel=prefetch; as=image; probability=0.9';

export function rangeOf(
  { headers }: SeenRequest,
  total = picture.length,
): { first: number; last: number } | null {
  const found = /^bytes=(\d+)-(\d*)$/.exec(headers.range ?? '');
  if (found === null) return null;
  const last = found[2] ? Number(found[2]) : total - 1;
  return { first: Number(found[1]), last: Math.min(last, total - 1) };
}

/** What a server says that knows ranges. @param fields in place of the usual ones. */
export function partOf(
  request: SeenRequest,
  fields: Record<string, string> = {},
  body: Buffer = picture,
): Buffer {
  const range = rangeOf(request, body.length);
  const about = { ...pictureFields, ...fields };
  const known = Object.entries(about).filter(([, value]) => value !== '');
  if (range === null) return response(body, Object.fromEntries(known));
  const { first, last } = range;
  const place = { 'Content-Range': `bytes ${first}-${last}/${body.length}` };
  const said = Object.entries({ ...place, ...about }).filter(([, value]) => value !== '');
  return response(body.subarray(first, last + 1), Object.fromEntries(said), '206 Partial Content');
}

/** `answer` says what /big.png gets; undefined: the part that was asked for. */
export async function startRangeSite(
  answer: Answer = () => undefined,
  hint = toPicture,
): Promise<RawServer> {
  return await startSite({ Link: hint }, (request, connection) => {
    if (request.path !== '/big.png') return undefined;
    const own = answer(request, connection);
    return own === undefined ? partOf(request) : own;
  });
}

/** The requests for the picture, in their order. */
export const asked = ({ requests }: RawServer): SeenRequest[] =>
  requests.filter(({ path }) => path === '/big.png');

/** Where their ranges begin; null: it was asked for whole. */
export const firsts = (server: RawServer): Array<number | null> =>
  asked(server).map((request) => rangeOf(request)?.first ?? null);
