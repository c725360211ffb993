// Options of a single load; all other options belong to the loader.

import { aFunction, any, oneOf } from '../options/kinds.ts';
import {
  checked,
  type OptionsOf,
  objectOf,
  option,
  optionWithoutDefault,
} from '../options/options.ts';
import { cacheModes } from './cache/http-cache.ts';
import { invalidOption } from './errors.ts';
import type { LoadProgress } from './page/page-progress.ts';

const loadTable = {
  /** Aborts the load, which then rejects with the signal's reason. */
  signal: optionWithoutDefault(
    any<AbortSignal>((value) => value instanceof AbortSignal, 'an AbortSignal'),
  ),
  /** Called often: whenever a resource is found or done, or bytes have arrived. */
  onProgress: optionWithoutDefault(aFunction<(progress: LoadProgress) => void>()),
  /**
   * Called with each complete, decoded body, unless its resource failed; called again if the response had to be fetched
   * again. An error that it throws stops the load.
   */
  onBody: optionWithoutDefault(aFunction<(url: string, body: Buffer) => void>()),
  /** Request cache mode of the Fetch Standard. `no-cache` revalidates every response. */
  cacheMode: option(oneOf(cacheModes), 'default'),
};

export type LoadOptions = OptionsOf<typeof loadTable>;

const loadKind = objectOf(loadTable);

/** Validates the options of one load. @throws LoaderError `invalid-option` */
export function checkLoadOptions(options: LoadOptions): void {
  checked(loadKind, options, invalidOption, { noun: 'option of one load ' });
}
