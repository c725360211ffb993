// The options of Get-All: how much is sent, and who decides what is sent.

import { aFunction, trueOrFalse } from '../../options/kinds.ts';
import { type OptionsOf, objectOf, option, optionWithoutDefault } from '../../options/options.ts';
import type { Site } from '../listen/inner-requests.ts';

export const getAllTable = {
  /**
   * The whole site, `(request, response)`. Needed with `node:http` alone; an Express app and `createOrigin` are found.
   */
  handler: optionWithoutDefault(aFunction<Site>()),
  /** `(url)`, returns paths or URLs of what belongs to a page, or null: as its HTML says. */
  resources: optionWithoutDefault(aFunction<(url: string) => readonly string[] | null>()),
  /** `(path)`, decoded and without query: whether it may be a part. None: all may. */
  allow: optionWithoutDefault(aFunction<(path: string) => boolean>()),
  /** Requests that came through a proxy are answered so, too. It refuses no path that is not refused here. */
  behindProxy: option(trueOrFalse(), false),
};

export type GetAllOptions = OptionsOf<typeof getAllTable>;

/** What no site needs to set; tests do (`withConstants`). */
export const getAllConstants = {
  /** Most parts after the document, and most bytes of all of them. */
  maxParts: 100,
  maxBytes: 8 * 1024 * 1024,
  /**
   * How long the site may take for all parts together, ms, and half of what is left for one; what does not come is left
   * out. The time that a client takes to read does not count.
   */
  timeoutMs: 5_000,
};

export const getAllKind = objectOf(getAllTable);
