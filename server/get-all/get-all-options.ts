// The options of Get-All: how much is sent, and who says what.

import { aFunction, milliseconds, trueOrFalse, wholeNumber } from '../../options/kinds.ts';
import { objectOf, option, optionWithoutDefault, type TableOf } from '../../options/options.ts';
import type { Site } from '../listen/inner-requests.ts';

export interface GetAllOptions {
  /** The whole site, where there is no Express app to be found: `(request, response)`. */
  readonly handler?: Site | undefined;
  /** Paths and URLs of what belongs to a page; null: as its HTML says. Called with the page's URL. */
  readonly resources?: ((url: string) => readonly string[] | null) | undefined;
  /** Which paths, decoded and without query, may be parts; by default all. */
  readonly allow?: ((path: string) => boolean) | undefined;
  /** Requests that came through a proxy are answered so, too. */
  readonly behindProxy?: boolean | undefined;
  /** Parts after the document. */
  readonly maxParts?: number | undefined;
  /** Bytes of all parts after the document. */
  readonly maxBytes?: number | undefined;
  /** How long the site may take for all parts together, and half of what is left for one, ms. */
  readonly timeoutMs?: number | undefined;
}

export const getAllTable = {
  handler: optionWithoutDefault(
    aFunction<Site>(),
    'The whole site, `(request, response)`. Needed with `node:http` alone; an Express app and `createOrigin` are found.',
  ),
  resources: optionWithoutDefault(
    aFunction<(url: string) => readonly string[] | null>(),
    '`(url)`, returns paths or URLs of what belongs to a page, or null: as its HTML says.',
  ),
  allow: optionWithoutDefault(
    aFunction<(path: string) => boolean>(),
    '`(path)`, decoded and without query: whether it may be a part. None: all may.',
  ),
  behindProxy: option(
    trueOrFalse(),
    false,
    'Requests that came through a proxy are answered so, too. It refuses no path that is not refused here.',
  ),
  maxParts: option(wholeNumber({ least: 1, most: 999 }), 100, 'Parts after the document.'),
  maxBytes: option(
    wholeNumber({ least: 1 }),
    8 * 1024 * 1024,
    'Bytes of all parts after the document.',
  ),
  timeoutMs: option(
    milliseconds({ least: 1 }),
    5_000,
    'How long the site may take for all parts together, ms, and half of what is left for one; what does not come is left out. The time that a client takes to read does not count.',
  ),
} satisfies TableOf<GetAllOptions>;

export const getAllKind = objectOf(getAllTable);
