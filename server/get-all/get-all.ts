// `app.use(getAll())` sends a page and its resources in one response to clients that ask for it (Padmanabhan 1995, 5.1;
// docs/protocol.md has the format). For other clients nothing changes, except that pages say `Get-All: ?1`.
//
// The site answers the request for the page as ever; then it answers one for each part, as if the client had sent it
// alone: with its cookies and address, through all middleware. So the site refuses a part to anyone to whom it would
// refuse it alone. It cannot know what a proxy in front refuses, so requests from a proxy get no parts by default.

import type { IncomingMessage, Server } from 'node:http';
import { joinedLines, splitMembers } from '../../http/field-syntax.ts';
import { parseGetAll } from '../../http/get-all.ts';
import { acceptEncoding } from '../../loader/response/content-coding.ts';
import { aFunction } from '../../options/kinds.ts';
import {
  checked,
  joined,
  type OptionsOf,
  objectOf,
  option,
  optionWithoutDefault,
} from '../../options/options.ts';
import { invalidOption } from '../errors.ts';
import {
  type Handler,
  innerKind,
  markInner,
  offeredSite,
  type Request,
  type Site,
} from '../listen/handler.ts';
import { holdHead, type OutgoingResponse } from '../listen/held-head.ts';
import { type IsTrusted, trustOf, trustProxyKind } from '../listen/trusted.ts';
import { PageResponse, type PartCounts, textOf } from './page-response.ts';

export const getAllTable = {
  /** `(path)`: whether a path, decoded and without query, may be a part. If no function is set, every path may. */
  allow: optionWithoutDefault(aFunction<(path: string) => boolean>()),
  /**
   * Proxies whose requests get parts, too: addresses, networks, names as in `hints`, or a function. These proxies must
   * not refuse paths that the site allows. false: no proxy's requests get parts.
   */
  trustProxy: option(trustProxyKind, false),
};

export type GetAllOptions = OptionsOf<typeof getAllTable>;

/** Values that no site needs to set; tests set them by `withConstants`. */
const getAllConstants = {
  /** Limits on the number of parts after the document, and on the bytes of all parts together. */
  maxParts: 100,
  maxBytes: 8 * 1024 * 1024,
  /** Limit on the bytes of one part, which is read whole before it is sent. */
  maxPartBytes: 256 * 1024,
  /**
   * How long the site may take for all parts together, ms; one part may take half of the time that is left. Parts that
   * do not come in time are left out. The time that a client takes to read does not count.
   */
  timeoutMs: 5_000,
};

const getAllKind = objectOf(getAllTable);

export interface GetAll extends Handler {
  stats(): GetAllStats;
}

export type GetAllStats = Readonly<PartCounts>;

/**
 * Creates the Get-All middleware. Mount it before middleware that sets fields or counts visitors, because it sends the
 * fields and bodies that such middleware writes.
 * @throws ServerError `invalid-option`
 */
export function getAll(options: GetAllOptions = {}): GetAll {
  const given = joined(checked(getAllKind, options, invalidOption), getAllConstants, options);
  const { allow } = options;
  const isTrusted = trustOf(given.trustProxy);
  const counts: PartCounts = { pages: 0, parts: 0, held: 0, leftOut: 0, bytes: 0, cutOff: 0 };
  const mayBePart = (target: string) => allow === undefined || isAllowed(target, allow);
  const settings = { ...given, mayBePart, counts };
  const middleware: Handler = (req, response, next) => {
    const { method } = req;
    const isRead = method === 'GET' || method === 'HEAD';
    const isOwn = innerKind(req) !== undefined;
    const site = isOwn || !isRead ? null : (offeredSite(req) ?? siteOfServer(req));
    if (site === null || (isForwarded(req) && !mayForward(req, isTrusted))) {
      next();
      return;
    }
    const res = response as OutgoingResponse;
    const held = method === 'GET' ? askedFor(req) : null;
    const url = held === null ? null : urlOf(req);
    if (held === null || url === null) {
      holdHead(res, () => {
        sayKnown(res);
        return null;
      });
      next();
      return;
    }
    markInner(req, 'document');
    askReadable(req);
    // The scanner is loaded only when a page is first asked for with Get-All.
    import('../../loader/scan/index.ts').then(({ createScanner }) => {
      const request = { site, req, res, url, held, createScanner };
      holdHead(res, (out) => {
        sayKnown(res);
        return isPage(res) ? new PageResponse(request, out, settings) : null;
      });
      next();
    }, next);
  };
  return Object.assign(middleware, { stats: () => ({ ...counts }) });
}

/**
 * Returns the tags of the resources that the client holds; null if the request has no Get-All field, or has a Range
 * field or a body as well.
 */
function askedFor({ headers }: Request): ReadonlySet<string> | null {
  const field = headers['get-all'];
  if (typeof field !== 'string' || headers.range !== undefined) return null;
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length']);
  return hasBody ? null : parseGetAll(field);
}

/**
 * Returns a function that passes a request to everything that listens on the server, because a part may be anywhere on
 * the site; null if the server is unknown.
 */
function siteOfServer(req: Request): Site | null {
  const { server } = req.socket as { server?: Server };
  return server === undefined ? null : (part, res) => server.emit('request', part, res);
}

/** Returns the URL of a request; null if it is no http or https URL. */
function urlOf(req: Request): URL | null {
  // The original target is used, because routers strip the path they are mounted on.
  const { originalUrl } = req as { originalUrl?: unknown };
  const target = typeof originalUrl === 'string' ? originalUrl : (req.url ?? '');
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
 * Returns whether a proxy in front of the site passed the request on. Such a proxy never sees the requests for parts,
 * so it cannot refuse them, and no parts are sent unless it is trusted.
 */
function isForwarded({ headers, httpVersion }: Request): boolean {
  // HTTP/1.0 is a sign, too: no client of today speaks it, but by default nginx (1.22) does, and adds no such field.
  if (httpVersion === '1.0') return true;
  return Object.keys(headers).some(
    (name) => proxyFields.includes(name) || name.startsWith('x-forwarded-'),
  );
}

/** Returns whether the proxy that passed the request on is trusted. A peer on a unix socket is if any proxy may be. */
function mayForward({ socket }: Request, isTrusted: IsTrusted | null): boolean {
  const { remoteAddress } = socket;
  return isTrusted !== null && (remoteAddress === undefined || isTrusted(remoteAddress, 0));
}

/** Returns whether `allow` lets a target be a part. @param target Path and query; the path is decoded, as sites do */
function isAllowed(target: string, allow: (path: string) => boolean): boolean {
  let path: string;
  try {
    path = decodeURIComponent(target.replace(/\?.*/s, ''));
  } catch {
    return false;
  }
  return allow(path);
}

/** Tells clients that get HTML that this site knows the Get-All field. */
function sayKnown(res: OutgoingResponse): void {
  if (isHtml(res)) res.setHeader('Get-All', '?1');
}

const isHtml = (res: OutgoingResponse): boolean =>
  /^(?:text\/html|application\/xhtml\+xml)\s*(?:;|$)/i.test(textOf(res, 'content-type').trim());

function isPage(res: OutgoingResponse): boolean {
  const isAttachment = /^\s*attachment\b/i.test(textOf(res, 'content-disposition'));
  return res.statusCode === 200 && isHtml(res) && !isAttachment;
}

const readable = new Set(['identity', '*', ...acceptEncoding.split(', ')]);

/** Leaves only codings in Accept-Encoding that can be decoded here, because the document is read for its resources. */
function askReadable({ headers }: Request): void {
  const { members } = splitMembers(joinedLines(headers['accept-encoding']));
  const kept = members.filter((member) => readable.has(nameOf(member)));
  if (kept.length === members.length) return;
  if (kept.length === 0) delete headers['accept-encoding'];
  else headers['accept-encoding'] = kept.join(', ');
}

const nameOf = (member: string) => (member.split(';')[0] ?? '').trim().toLowerCase();
