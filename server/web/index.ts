// `loadahead/web`: hints() for functions from a Request to a Response, as servers of Deno, Bun, Hono, SvelteKit, Astro
// and h3 have them. The middleware is that of node:http; exchange.ts translates.

/// <reference lib="esnext.disposable" preserve="true" />

import '../../needs-node.ts';
import fresh from 'fresh';
import { warningLog } from '../hints/hint-options.ts';
import { hints as middlewareOf } from '../hints/hints.ts';
import { watcherOf } from '../hints/response-hooks.ts';
import type { SiteHints, SiteOptions } from '../hints/site-hints.ts';
import type { Request as NodeRequest, Response as NodeResponse } from '../listen/handler.ts';
import { ResponseDraft, requestOf } from './exchange.ts';

export { ServerError, type ServerErrorCode } from '../errors.ts';
// The options of hints(), except `clientOf` and `earlyHints`: a 103 cannot be sent.
export type { HintsStats, SiteOptions as WebHintsOptions } from '../hints/site-hints.ts';

export interface Visitor {
  /** Address of the connection's other end. Without it nothing is learned of this request, and it gets the hints of no
   *  particular visitor. Behind a proxy it is the proxy's address, which `trustProxy` names. */
  readonly address?: string | undefined;
  /** Path below which the site is, `/shop`, if the framework has such a setting: rules and scripts are served there. */
  readonly base?: string | undefined;
}

export interface WebHints extends SiteHints {
  /**
   * Answers a request by the site's function, and adds hints to its response; or answers by itself: speculation rules,
   * a script, the beacon, and prefetches that are refused while the process is busy.
   * @param next The site's function. What it throws is thrown
   */
  <Asked extends Request>(
    request: Asked,
    next: (request: Asked) => Response | Promise<Response>,
    visitor?: Visitor,
  ): Promise<Response>;
}

/** Makes the middleware. @throws ServerError 'invalid-option', PrefetchdError `invalid-option` */
export function hints(options: SiteOptions = {}): WebHints {
  const middleware = middlewareOf({ ...options, earlyHints: false });
  const { ready, stats, close } = middleware;
  let isToldOfAddress = false;

  async function answer<Asked extends Request>(
    request: Asked,
    next: (request: Asked) => Response | Promise<Response>,
    { address, base = '' }: Visitor = {},
  ): Promise<Response> {
    if (address === undefined && !isToldOfAddress) {
      isToldOfAddress = true;
      const log = options.log ?? warningLog;
      log.warn({ url: request.url }, 'a request without `address`: nothing is learned of it');
    }
    const draft = new ResponseDraft();
    const passed = new Promise<'passed'>((resolve) => {
      const asked = requestOf(request, address, base) as unknown as NodeRequest;
      middleware(asked, draft as unknown as NodeResponse, () => resolve('passed'));
    });
    if ((await Promise.race([passed, draft.answered])) !== 'passed')
      return new Response(draft.body, { status: draft.statusCode, headers: draft.headers });
    const response = await next(request);
    // A response that hints() does not watch stays as it is. So does an upgrade, for which Bun's function returns
    // nothing, and a network error: neither could be made anew as a Response.
    if (watcherOf(draft as unknown as NodeResponse) === undefined || !response) return response;
    const { status, statusText } = response;
    if (status < 200 || status > 599) return response;
    // If the visitor has the response (If-None-Match), SvelteKit sends a 304 and reads no body, so a 304 is learned.
    const isHeld = fresh(Object.fromEntries(request.headers), Object.fromEntries(response.headers));
    draft.begin(response, isHeld && status === 200 ? 304 : status);
    const body = isHeld ? response.body : counted(response.body, draft);
    if (body === response.body) draft.end();
    return new Response(body, { status, statusText, headers: draft.headers });
  }
  return Object.assign(answer, { ready, stats, close, [Symbol.asyncDispose]: close });
}

/** Passes the body of a response on, and tells hints() of its chunks, and of its end if it comes. */
function counted(body: Response['body'], draft: ResponseDraft) {
  if (body === null) return null;
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        draft.write(chunk);
        controller.enqueue(chunk);
      },
      flush: () => void draft.end(),
    }),
  );
}
