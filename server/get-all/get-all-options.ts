// The options of Get-All: how much is sent, and who decides what is sent.

import { aFunction, milliseconds, trueOrFalse, wholeNumber } from '../../options/kinds.ts';
import { objectOf, option, optionWithoutDefault, type TableOf } from '../../options/options.ts';
import type { Site } from '../listen/inner-requests.ts';

export interface GetAllOptions {
  /** Handler of the whole site, needed where no Express app is found: `(request, response)`. */
  readonly handler?: Site | undefined;
  /** Returns paths and URLs of a page's resources, or null to take them from its HTML. Called with the page's URL. */
  readonly resources?: ((url: string) => readonly string[] | null) | undefined;
  /** Whether a path may be a part. Called with the decoded path without query; by default all may. */
  readonly allow?: ((path: string) => boolean) | undefined;
  /** Whether requests that came through a proxy get parts, too. */
  readonly behindProxy?: boolean | undefined;
  /** Most parts after the document. */
  readonly maxParts?: number | undefined;
  /** Most bytes of all parts after the document. */
  readonly maxBytes?: number | undefined;
  /** How long the site may take for all parts together, ms; one part may take half of what is left. */
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
