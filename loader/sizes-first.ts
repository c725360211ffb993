// The layer of poor man's multiplexing (Nielsen, Gettys et al. 1997, "Range Requests"). The first bytes of every image
// contain its width and height, so a page can be laid out long before its images are complete. The rest is requested in
// document order once the document is complete.

import { ifRangeOf } from './cache/policy/validators.ts';
import type { PageLayer } from './page/page-layer.ts';
import type { Resource } from './page/resource.ts';
import { plainPlan, type RequestPlan, restPlan, withFirstPart } from './request/request-plan.ts';

/** Makes the layer (code around requests) that requests images in two parts. @param firstBytes Length of the first. */
export function sizesFirst(firstBytes: number): PageLayer {
  return (dispatch, page) => {
    /** Origins whose images are requested whole: they ignored a Range, or sent parts that cannot be combined. */
    const whole = new Set<string>();
    /** Images whose first bytes have arrived, each with the request to be sent for its other bytes (a range). */
    let waiting = new Map<Resource, RequestPlan>();

    /** Records how a request for first bytes was answered. @returns The plan for the other bytes; null: none. */
    const missing = (resource: Resource): RequestPlan | null => {
      const { plan, status, contentRange, row } = resource;
      if (plan.range?.first !== 0 || row.fromCache || row.error !== null) return null;
      const { origin } = new URL(row.url);
      if (status === 200) whole.add(origin);
      if (contentRange === null || resource.isWhole) return null;
      const ifRange = ifRangeOf(row.responseHeaders);
      const begun = resource.encodedBody;
      if (ifRange !== null && begun !== null) return restPlan(begun, contentRange.total, ifRange);
      // Without a strong validator, two parts may be of different representations (RFC 9110 15.3.7.3), so the whole
      // image is requested.
      whole.add(origin);
      return plainPlan;
    };

    /** Requests the missing bytes of the images in `waiting`, in the order in which the page named the images. */
    const askRests = (): void => {
      const rests = waiting;
      waiting = new Map();
      page.context.transport.batch(() => {
        for (const part of page.recorder.resources) {
          const plan = rests.get(part);
          if (plan !== undefined) page.again(part, plan);
        }
      });
      page.waits(-rests.size);
    };

    page.watch({
      ended: (resource) => {
        const plan = missing(resource);
        if (plan !== null) {
          page.waits(1);
          waiting.set(resource, plan);
        }
        if (waiting.size === 0 || !page.isDocumentDone) return;
        if (resource.row.initiator === null) askRests();
        // The remaining bytes of images whose first bytes arrived together are requested together.
        else if (plan !== null && waiting.size === 1) setImmediate(askRests);
      },
    });

    return (request, handler) => {
      const { owner, url, kind, purpose } = request;
      const isImage = kind === 'image' && (purpose === 'use' || purpose === 'ahead');
      // An SVG image is requested whole, because it is compressed and states its size in text.
      const comesWhole = whole.has(url.origin) || url.pathname.endsWith('.svg');
      // For an image of which the cache has the first part, the request already has the range of the rest.
      if (!isImage || comesWhole || owner.plan.range !== null) {
        dispatch(request, handler);
        return;
      }
      owner.replan(withFirstPart(owner.plan, firstBytes));
      dispatch({ ...request, conditions: owner.plan.fields }, handler);
    };
  };
}
