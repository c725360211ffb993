// Requests that a middleware makes of the site itself, for a request of a client, and what it needs for them: the whole
// site as a function. Known to the middleware of this package alone; nothing that a client sends can make one.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Request } from './handler.ts';

/** A whole site: all that answers a request. */
export type Site = (req: IncomingMessage, res: ServerResponse) => unknown;

/** `document`: a request of the client, passed on. `part`: none of the client, who asked for a page. */
export type InnerKind = 'document' | 'part';

const inner = new WeakMap<object, InnerKind>();
const sites = new WeakMap<object, Site>();

export function markInner(req: Request, kind: InnerKind): void {
  inner.set(req, kind);
}

/** undefined: the request of a client. */
export function innerKind(req: Request): InnerKind | undefined {
  return inner.get(req);
}

/** Tells the middleware of a request what answers it. */
export function offerSite(req: Request, site: Site): void {
  sites.set(req, site);
}

export function offeredSite(req: Request): Site | undefined {
  return sites.get(req);
}
