// `app.use(getAll())`: a page and its resources in one response, for clients that ask for it (Padmanabhan 1995, 5.1;
// docs/protocol.md has the format). For other clients nothing changes, except that pages say `Get-All: ?1`.
//
// The site itself answers for the page and for each part, as if the client had asked for each alone: with its cookies,
// its address, all its middleware. So the site refuses a part to anyone to whom it would refuse it alone. It cannot
// know what a proxy in front of it refuses, so requests that came through a proxy get no parts by default.

import type { IncomingMessage } from 'node:http';
import { parseGetAll } from '../../http/get-all.ts';
import { checked, joined } from '../../options/options.ts';
import { invalidOption } from '../errors.ts';
import type { Handler, Request, Response } from '../listen/handler.ts';
import { innerKind, offeredSite, type Site } from '../listen/inner-requests.ts';
import { type GetAllOptions, getAllConstants, getAllKind } from './get-all-options.ts';
import { PageLists } from './page-lists.ts';
import { answerPage, type Counts, isHtml, targetOf } from './page-response.ts';

export interface GetAll extends Handler {
  stats(): GetAllStats;
}

export interface GetAllStats {
  /** Pages sent with their parts. */
  readonly pages: number;
  /** Parts sent, without documents. */
  readonly parts: number;
  /** Parts without a body, because the client holds them. */
  readonly held: number;
  /** Resources of pages that were left out. */
  readonly leftOut: number;
  /** Bytes of the bodies of parts. */
  readonly bytes: number;
  /** Pages that were scanned for their resources; for the others the list was known. */
  readonly read: number;
  /** Responses that could not be completed, by no fault of the client. */
  readonly cutOff: number;
}

/**
 * Creates the middleware. Mount it before middleware that sets fields or counts visitors: a request with Get-All runs
 * the site from its start. Where there is neither an Express app nor `handler`, the first request warns, and pages come
 * alone.
 * @throws ServerError `invalid-option`
 */
export function getAll(options: GetAllOptions = {}): GetAll {
  const given = joined(checked(getAllKind, options, invalidOption), getAllConstants, options);
  const { maxParts, maxBytes, timeoutMs, behindProxy } = given;
  const { handler, resources, allow } = options;
  const counts: Counts = { pages: 0, parts: 0, held: 0, leftOut: 0, bytes: 0, read: 0, cutOff: 0 };
  const lists = new PageLists();
  const mayBePart = (target: string) => allow === undefined || isAllowed(target, allow);
  const settings = { maxParts, maxBytes, timeoutMs, resources, mayBePart, lists, counts };
  let hasWarned = false;
  const middleware: Handler = (req, res, next) => {
    const { method } = req;
    const isRead = method === 'GET' || method === 'HEAD';
    if (innerKind(req) !== undefined || !isRead || (!behindProxy && isForwarded(req))) {
      next();
      return;
    }
    const site = handler ?? offeredSite(req) ?? expressSite(req);
    if (site === null) {
      if (!hasWarned) warn();
      hasWarned = true;
      next();
      return;
    }
    sayKnown(req, res);
    const held = method === 'GET' && !res.headersSent ? askedFor(req) : null;
    const url = held === null ? null : urlOf(req);
    if (held === null || url === null) {
      next();
      return;
    }
    answerPage({ site, req, res, url, held }, settings);
  };
  return Object.assign(middleware, { stats: () => ({ ...counts }) });
}

function warn(): void {
  process.emitWarning(
    'outside Express it needs the whole site, or pages come alone: getAll({ handler })',
    { code: 'LOADAHEAD_GET_ALL' },
  );
}

/** @returns Tags of what the client holds; null: the request has no Get-All, or has a Range or a body as well */
function askedFor({ headers }: Request): ReadonlySet<string> | null {
  const field = headers['get-all'];
  if (typeof field !== 'string' || headers.range !== undefined) return null;
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length']);
  return hasBody ? null : parseGetAll(field);
}

interface ExpressApp extends Site {
  parent?: ExpressApp;
}

/** The outermost app, because a part may be anywhere on the site. */
function expressSite(req: Request): Site | null {
  let { app } = req as { app?: ExpressApp };
  while (app?.parent !== undefined) app = app.parent;
  return app ?? null;
}

/** null: the request names no page of an http site. */
function urlOf(req: Request): URL | null {
  const target = targetOf(req);
  const { protocol } = req as { protocol?: unknown };
  const isSecure = protocol === 'https' || (req as IncomingMessage & Secure).socket.encrypted;
  const authority = req.headers[':authority'];
  const host = req.headers.host || (typeof authority === 'string' ? authority : '') || 'localhost';
  const url = target.startsWith('/')
    ? URL.parse(`${isSecure ? 'https' : 'http'}://${host}${target}`)
    : URL.parse(target);
  return url?.protocol === 'http:' || url?.protocol === 'https:' ? url : null;
}

type Secure = { socket: { encrypted?: boolean } };

/** Fields that proxies add. */
const proxyFields = ['via', 'forwarded', 'x-real-ip'];

/**
 * True if a proxy in front of the site passed the request on. The proxy never sees the requests for parts, so it cannot
 * refuse them, and none are sent.
 */
function isForwarded({ headers, httpVersion }: Request): boolean {
  // nginx (1.22) adds no such field, and speaks HTTP/1.0 to a site unless told otherwise; today's clients do not.
  if (httpVersion === '1.0') return true;
  return Object.keys(headers).some(
    (name) => proxyFields.includes(name) || name.startsWith('x-forwarded-'),
  );
}

/** @param target Path and query; sites read paths decoded. */
function isAllowed(target: string, allow: (path: string) => boolean): boolean {
  let path: string;
  try {
    path = decodeURIComponent(target.replace(/\?.*/s, ''));
  } catch {
    return false;
  }
  return allow(path);
}

interface HeadResponse extends Response {
  writeHead(...call: unknown[]): unknown;
  getHeader(name: string): unknown;
}

/**
 * Adds `Get-All: ?1` to HTML responses to requests without the field, so that clients know where to send it. The field
 * is added before the head is written, by the site or by Node itself.
 */
function sayKnown(_req: Request, response: Response): void {
  const res = response as HeadResponse;
  const { writeHead } = res;
  res.writeHead = (...call) => {
    res.writeHead = writeHead;
    const last = call.at(-1);
    const given = typeof last === 'object' && last !== null ? contentType(last) : undefined;
    const type = given ?? res.getHeader('content-type');
    if (!res.headersSent && isHtml(String(type ?? ''))) res.setHeader('Get-All', '?1');
    return writeHead.apply(res, call);
  };
}

/** Content-Type among the fields passed to writeHead: an object, a flat list, or a list of pairs. */
function contentType(fields: object): unknown {
  const flat = Array.isArray(fields) ? fields.flat() : Object.entries(fields).flat();
  const at = flat.findIndex((each, i) => i % 2 === 0 && /^content-type$/i.test(String(each)));
  return at === -1 ? undefined : flat[at + 1];
}
