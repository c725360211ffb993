// Defines the contract of request handlers: a plain `(req, res, next)` function. It uses only what node:http and the
// compatibility API of node:http2 have in common and nothing of Express, so one handler works under both protocols,
// under Express, and in front of any server.
//
// A middleware may make requests to the site itself, to combine a page and its resources in one response. They are
// marked here, so that other middleware knows them and learns which resources the client got; and the site is kept as a
// function, by which such a middleware calls it. Nothing that a client sends can set these marks.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Http2ServerRequest } from 'node:http2';
import { aFunction, listOf } from '../../options/kinds.ts';
import type { Logger } from '../../options/logger.ts';
import type { ConnectionLayer } from './connection-socket.ts';

export type Request = IncomingMessage | Http2ServerRequest;

/** The members of http.ServerResponse and http2.Http2ServerResponse that handlers may use. */
export interface Response {
  statusCode: number;
  readonly headersSent: boolean;
  readonly destroyed: boolean;
  readonly writableEnded: boolean;
  setHeader(name: string, value: string): unknown;
  hasHeader(name: string): boolean;
  removeHeader(name: string): void;
  write(chunk: Uint8Array): boolean;
  end(): unknown;
  end(data: string | Uint8Array): unknown;
  destroy(error?: Error): unknown;
  once(event: string, listener: () => void): unknown;
  removeListener(event: string, listener: () => void): unknown;
}

export type Next = (error?: unknown) => void;

/** A handler that also changes connections has `onConnection`; createOrigin and createProxy call it for each. */
export interface Handler {
  (req: Request, res: Response, next: Next): void;
  /** Changes the socket of an HTTP/1 connection before anything is read from it. */
  readonly onConnection?: ConnectionLayer;
}

/** The schema of the option `handlers` of createOrigin and createProxy. */
export const handlersKind = listOf(aFunction<Handler>(), 'a list of functions');

export function handlerFailed(log: Logger, err: unknown, { method, url = '' }: Request): void {
  log.error({ err, method, path: url.replace(/\?.*/s, '') }, 'a handler failed');
}

/** Runs the handlers in order; `last` receives unanswered requests and all errors. */
export function runHandlers(
  handlers: readonly Handler[],
  req: Request,
  res: Response,
  last: Next,
): void {
  const run = (index: number, error?: unknown): void => {
    const handler = handlers[index];
    if (error || handler === undefined) {
      last(error);
      return;
    }
    let called = false;
    try {
      const done: unknown = handler(req, res, (problem) => {
        if (called) return;
        called = true;
        run(index + 1, problem);
      });
      if (done instanceof Promise) done.catch(last);
    } catch (problem) {
      last(problem);
    }
  };
  run(0);
}

export function isHttp1(req: Request): req is IncomingMessage {
  return req.httpVersionMajor === 1;
}

/** Returns whether the response was completed: HTTP/2's compatibility API emits `finish` even for an aborted stream. */
export function isComplete(req: Request, res: Response): boolean {
  if (isHttp1(req)) return true;
  return res.writableEnded && !req.stream.aborted && req.stream.rstCode === 0;
}

/** Returns whether the client is gone, so that there is nobody left to answer. */
export function isGone(req: Request): boolean {
  return isHttp1(req) ? req.socket.destroyed : req.stream.destroyed || req.stream.closed;
}

/**
 * Aborts a response that cannot be completed so that the client notices: a Content-Length is not met (RFC 9112 8), or
 * the stream is reset (RFC 9113 8.1.1). The body never appears complete.
 */
export function cutOff(req: Request, res: Response): void {
  if (isHttp1(req)) res.destroy();
  else req.stream.close(2 /* INTERNAL_ERROR */);
}

/** Resolves when more may be written, or the response is closed. */
export function roomToWrite(res: Response): Promise<void> {
  return new Promise((resolve) => {
    const settle = () => {
      res.removeListener('drain', settle);
      res.removeListener('close', settle);
      resolve();
    };
    res.once('drain', settle);
    res.once('close', settle);
  });
}

/**
 * Waits until a response is the next to be sent: pipelined ones are sent in order (RFC 9112 9.3.2), and one whose turn
 * has not come buffers its writes in memory. If the connection closes, the promise never settles and is
 * garbage-collected.
 */
export function ourTurn(req: Request, res: Response): true | Promise<void> {
  if (!isHttp1(req) || (res as unknown as { socket: object | null }).socket !== null) return true;
  return new Promise((resolve) => {
    res.once('socket', resolve);
  });
}

/** A whole site: the function that answers every request. */
export type Site = (req: IncomingMessage, res: ServerResponse) => unknown;

/** `document`: the client's own request, for a page with its resources in one response. `part`: a request that a
 *  middleware makes to the site for one of these resources. */
export type InnerKind = 'document' | 'part';

const inner = new WeakMap<object, InnerKind>();
const sites = new WeakMap<object, Site>();

export function markInner(req: Request, kind: InnerKind): void {
  inner.set(req, kind);
}

/** Returns which place a request has in a combined response (getAll); undefined: none. */
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
 * Called when a resource is in the combined response.
 * @param isHeld The client has the resource in its cache, so it comes without body.
 * @returns What to do once the client has the whole response
 */
type PartSent = (isHeld: boolean) => () => void;

/** Maps the socket of a request for a part to the function to call once the combined response contains the part. */
const sent = new WeakMap<object, PartSent>();

/** Lets middleware that handles a request for a part learn whether the client got the resource. */
export function onPartSent(part: Request, listener: PartSent): void {
  sent.set(part.socket, listener);
}

export function partSent(socket: object, isHeld: boolean): () => void {
  return sent.get(socket)?.(isHeld) ?? (() => {});
}
