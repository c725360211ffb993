// `app.use(getAll())` sends a page and its resources in one response to clients that ask for it (Padmanabhan 1995, 5.1;
// docs/protocol.md has the format). For other clients nothing changes, except that pages say `Get-All: ?1`.
//
// The site answers the request for the page as usual; then it answers a request for each resource (a part of the
// combined response), which is made here as if the client had sent it: with its cookies and address, through all
// middleware. So the site refuses a resource to anyone to whom it would refuse it alone. It cannot know what a proxy or
// CDN in front of it refuses, so requests that a proxy passes on get the page alone by default.

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
  /** `(path)`: whether a resource, by its path, decoded and without query, may be sent with the page. */
  allow: optionWithoutDefault(aFunction<(path: string) => boolean>(), { shownDefault: 'all may' }),
  /**
   * Proxies whose requests get the combined response, too: addresses, networks, names as in `hints`, or a function.
   * They must not refuse paths that the site allows. false: requests that come through a proxy get the page alone.
   */
  trustProxy: option(trustProxyKind, false),
};

export type GetAllOptions = OptionsOf<typeof getAllTable>;

/** Values that no site needs to set; tests set them by `withConstants`. */
const getAllConstants = {
  /** Limits on the number of resources in one combined response, and on the bytes of their bodies together. */
  maxParts: 100,
  maxBytes: 8 * 1024 * 1024,
  /** Limit on the bytes of one resource, which is read whole before it is sent. */
  maxPartBytes: 256 * 1024,
  /**
   * How long the site may take for all resources of a page together, ms; one of them may take half of the time that is
   * left. Those that do not come in time are left out. The time that a client takes to read does not count.
   */
  timeoutMs: 5_000,
};

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
  const checkedOptions = checked(objectOf(getAllTable), options, invalidOption);
  const given = joined(checkedOptions, getAllConstants, options);
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
 * Returns the tags (short hashes) of resources that the client has stored; null if the request has no Get-All field, or
 * has a Range field or a body as well.
 */
function askedFor({ headers }: Request): ReadonlySet<string> | null {
  const field = headers['get-all'];
  if (typeof field !== 'string' || headers.range !== undefined) return null;
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length']);
  return hasBody ? null : parseGetAll(field);
}

/**
 * Returns a function that passes a request to everything that listens on the http.Server of `req`, because any of it
 * may serve the page's resources; null if that server is unknown.
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
 * Returns whether a proxy in front of the site passed the request on. Such a proxy never sees the requests for the
 * page's resources, so it cannot refuse them, and they are not sent unless it is trusted.
 */
function isForwarded({ headers, httpVersion }: Request): boolean {
  // HTTP/1.0 means a proxy, too: no client of today speaks it, but nginx (1.22) does by default, and sends no Via.
  if (httpVersion === '1.0') return true;
  return Object.keys(headers).some(
    (name) => proxyFields.includes(name) || name.startsWith('x-forwarded-'),
  );
}

/** Returns whether the proxy that passed the request on is trusted. The peer of a Unix socket, which has no address, is
 *  trusted if `trustProxy` is set at all. */
function mayForward({ socket }: Request, isTrusted: IsTrusted | null): boolean {
  const { remoteAddress } = socket;
  return isTrusted !== null && (remoteAddress === undefined || isTrusted(remoteAddress, 0));
}

/** Returns whether `allow` permits a resource in the combined response. @param target The resource's path and query */
function isAllowed(target: string, allow: (path: string) => boolean): boolean {
  let path: string;
  try {
    path = decodeURIComponent(target.replace(/\?.*/s, ''));
  } catch {
    return false;
  }
  return allow(path);
}

/** Tells clients, in each HTML response, that this site knows the Get-All field. */
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
