// Marks requests that a middleware makes to the site itself on behalf of a client's request, keeps the site as a
// function, which such a middleware needs, and tells other middleware which parts the client got. Only this package can
// make such requests; nothing that a client sends can.

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

/**
 * Called when a part is in the response to its page. @param isHeld The client holds it already, so it came without body
 * @returns What to do once the client has the whole response
 */
type PartSent = (isHeld: boolean) => () => void;

/** The listeners by the socket of the part, which both middlewares know. */
const sent = new WeakMap<object, PartSent>();

/** Lets the middleware of a part's request learn whether the client got the part. */
export function onPartSent(part: Request, listener: PartSent): void {
  sent.set(part.socket, listener);
}

export function partSent(socket: object, isHeld: boolean): () => void {
  return sent.get(socket)?.(isHeld) ?? (() => {});
}
