// A site of numbered images that answers Get-All, byte by byte, so that each fault can be put in its place.

import { parseGetAll } from '../../../http/get-all.ts';
import type { RawConnection, SeenRequest } from '../../support/raw-server.ts';
import { response } from '../../support/raw-server.ts';
import { type Site, type SiteOptions, startSite, usual } from '../page-cache/site.ts';

export const boundary = '0123456789abcdef0123456789abcdef';
const crlf = '\r\n';

/** A part with the delimiter before it. Fields are written in their order; null: none. */
export function part(
  fields: Record<string, string | number | null>,
  body: string | Uint8Array = '',
): Buffer {
  const lines = Object.entries({ ...fields })
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name}: ${value}${crlf}`);
  const head = `--${boundary}${crlf}${lines.join('')}${crlf}`;
  return Buffer.concat([Buffer.from(head, 'latin1'), Buffer.from(body), Buffer.from(crlf)]);
}

/** As a server has it. */
export function imagePart(
  site: Site,
  path: string,
  fields: Record<string, string | null> = {},
): Buffer {
  const body = site.bodies.get(path) ?? Buffer.alloc(0);
  const about = {
    'Content-Location': path,
    'Content-Type': 'image/gif',
    'Content-Length': String(body.length),
    ETag: site.etagOf(path),
    'X-For': path,
    ...site.headers,
  };
  return part({ ...about, ...fields }, body);
}

export function documentPart(site: Site, fields: Record<string, string | null> = {}): Buffer {
  const body = site.bodies.get('/') ?? Buffer.alloc(0);
  const about = {
    'Content-Type': 'text/html',
    'Content-Length': String(body.length),
    ETag: site.etagOf('/'),
    'X-For': '/',
    ...site.headers,
  };
  return part({ ...about, ...fields }, body);
}

export const close = Buffer.from(`--${boundary}--${crlf}`);

export const envelopeFields: Record<string, string> = {
  'Get-All': '?1',
  'Content-Type': `multipart/mixed; boundary="${boundary}"`,
  'Cache-Control': 'private, no-store',
  Vary: 'Get-All',
};

/** The response around these parts. */
export function envelope(
  parts: readonly Uint8Array[],
  fields: Record<string, string> = {},
  version = 'HTTP/1.1',
): Buffer {
  return response(Buffer.concat(parts), { ...envelopeFields, ...fields }, '200 OK', version);
}

/** Document and images, those that the client holds as 304. */
export function wholeEnvelope(
  site: Site,
  tags: ReadonlySet<string> = new Set(),
  tagOf = noTag,
): Buffer {
  const images = site.page.images.map(({ path }) =>
    tags.has(tagOf(path, site.etagOf(path)))
      ? part({ 'Content-Location': path, Status: '304', ETag: site.etagOf(path), ...site.headers })
      : imagePart(site, path),
  );
  return envelope([documentPart(site), ...images, close]);
}

const noTag = (_path: string, _etag: string): string => '';

export const asksAll = ({ headers }: SeenRequest): boolean =>
  parseGetAll(headers['get-all'] ?? '') !== null;

/** The page, whatever its query. */
const isPage = ({ path }: SeenRequest): boolean => /^\/(?:\?|$)/.test(path);

/** Says that it knows the field, and has `answerAll` answer requests with it. */
export function startGetAllSite(
  answerAll: (site: Site, connection: RawConnection, request: SeenRequest) => Buffer | null,
  options: SiteOptions = {},
): Promise<Site & AsyncDisposable> {
  return startSite({
    ...options,
    answer(request, site, connection) {
      const own = options.answer?.(request, site, connection);
      if (own !== undefined) return own;
      if (isPage(request) && asksAll(request)) return answerAll(site, connection, request);
      const plain = usual(site, request);
      if (!isPage(request)) return plain;
      return Buffer.from(plain.toString('latin1').replace('\r\n', '\r\nGet-All: ?1\r\n'), 'latin1');
    },
  });
}

/** Paths in the order they were requested, with `+` for Get-All. */
export const asked = ({ server }: Site): string[] =>
  server.requests.map((request) => (asksAll(request) ? `${request.path}+` : request.path));
