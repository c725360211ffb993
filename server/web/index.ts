// `loadahead/web`: hints() for functions from a Request to a Response, as servers of Deno, Bun, Hono, SvelteKit, Astro
// and h3 have them. The middleware is that of node:http; exchange.ts stands between.

import '../../needs-node.ts';
import type { HintsOptions } from '../hints/hint-options.ts';
import { type HintsStats, hints as middlewareOf } from '../hints/hints.ts';
import { watcherOf } from '../hints/response-hooks.ts';
import type { Request as NodeRequest, Response as NodeResponse } from '../listen/handler.ts';
import { ResponseDraft, requestOf } from './exchange.ts';

export { ServerError, type ServerErrorCode } from '../errors.ts';
export type { HintsStats } from '../hints/hints.ts';

/** Those of [hints()](server.md#hints), without `clientOf`; a 103 cannot be sent. */
export type WebHintsOptions = Omit<HintsOptions, 'clientOf' | 'earlyHints'>;

export interface Visitor {
  /** Address of the connection's other end. Without it nothing is learned of this request, and it gets the hints of no
   *  particular visitor. Behind a proxy it is the proxy's, and `trustProxy` names it. */
  readonly address?: string | undefined;
}

export interface WebHints extends AsyncDisposable {
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
  /** Resolves when the prefetchd can be asked. */
  readonly ready: Promise<void>;
  stats(): HintsStats;
  /** Sends what was learned, and closes the prefetchd unless the caller owns it. */
  close(): Promise<void>;
}

/** Makes the middleware. @throws ServerError 'invalid-option', PrefetchdError `invalid-option` */
export function hints(options: WebHintsOptions = {}): WebHints {
  const middleware = middlewareOf({ ...options, earlyHints: false });
  const { ready, stats, close } = middleware;

  async function answer<Asked extends Request>(
    request: Asked,
    next: (request: Asked) => Response | Promise<Response>,
    { address }: Visitor = {},
  ): Promise<Response> {
    const draft = new ResponseDraft();
    const passed = new Promise<'passed'>((resolve) => {
      const asked = requestOf(request, address) as unknown as NodeRequest;
      middleware(asked, draft as unknown as NodeResponse, () => resolve('passed'));
    });
    if ((await Promise.race([passed, draft.answered])) !== 'passed')
      return new Response(draft.body, { status: draft.statusCode, headers: draft.headers });
    const response = await next(request);
    // What is left alone stays as it is; Bun's function returns nothing after an upgrade, and neither an upgrade nor a
    // network error is a response that could be made anew.
    if (watcherOf(draft as unknown as NodeResponse) === undefined || !response) return response;
    const { status, statusText, body } = response;
    if (status < 200 || status > 599) return response;
    draft.begin(response);
    return new Response(body === null ? ended(draft) : counted(body, draft), {
      status,
      statusText,
      headers: draft.headers,
    });
  }
  return Object.assign(answer, { ready, stats, close, [Symbol.asyncDispose]: close });
}

function ended(draft: ResponseDraft): null {
  draft.end();
  return null;
}

/** Passes a body on, and tells the middleware of its bytes, and of its end if it comes. */
function counted(body: NonNullable<Response['body']>, draft: ResponseDraft) {
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
