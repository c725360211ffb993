// Marks requests that a middleware makes to the site itself on behalf of a client's request, and keeps the site as a
// function, which such a middleware needs. Only this package can make such requests; nothing that a client sends can.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Request } from './handler.ts';

/** A whole site: the function that answers every request. */
export type Site = (req: IncomingMessage, res: ServerResponse) => unknown;

/** `document`: the client's own request for a page and its parts. `part`: a request for one of these. */
export type InnerKind = 'document' | 'part';

const inner = new WeakMap<object, InnerKind>();
const sites = new WeakMap<object, Site>();

export function markInner(req: Request, kind: InnerKind): void {
  inner.set(req, kind);
}

/** Returns the kind of an inner request; undefined for an ordinary request of a client. */
export function innerKind(req: Request): InnerKind | undefined {
  return inner.get(req);
}

/** Tells the middleware of a request which function answers all requests of the site. */
export function offerSite(req: Request, site: Site): void {
  sites.set(req, site);
}

export function offeredSite(req: Request): Site | undefined {
  return sites.get(req);
}
