// Options of a single load; all other options belong to the loader.

import { aFunction, any, oneOf } from '../options/kinds.ts';
import {
  checked,
  objectOf,
  option,
  optionWithoutDefault,
  type TableOf,
} from '../options/options.ts';
import { type CacheMode, cacheModes } from './cache/http-cache.ts';
import { invalidOption } from './errors.ts';
import type { LoadProgress } from './page/page-progress.ts';

export interface LoadOptions {
  /** Aborts the load, which then rejects with the signal's reason. */
  signal?: AbortSignal;
  /** Called often: whenever a resource is found or done, or bytes have arrived. */
  onProgress?: (progress: LoadProgress) => void;
  /**
   * Called with each complete, decoded body, unless it failed; called again if the response had to be fetched again. An
   * error that it throws stops the load.
   */
  onBody?: (url: string, body: Buffer) => void;
  /** Request cache mode of the Fetch Standard; default: `default`. `no-cache` revalidates every response. */
  cacheMode?: CacheMode;
}

const loadKind = objectOf({
  signal: optionWithoutDefault(
    any<AbortSignal>((value) => value instanceof AbortSignal, 'an AbortSignal'),
    'Aborts the load.',
  ),
  onProgress: optionWithoutDefault(
    aFunction<(progress: LoadProgress) => void>(),
    'Called as resources are found and finish, and as bytes arrive.',
  ),
  onBody: optionWithoutDefault(
    aFunction<(url: string, body: Buffer) => void>(),
    'Called with each complete body, decoded.',
  ),
  cacheMode: option(oneOf(cacheModes), 'default', 'Cache mode of this page.'),
} satisfies TableOf<LoadOptions>);

/** @throws LoaderError `invalid-option` */
export function checkLoadOptions(options: LoadOptions): void {
  checked(loadKind, options, invalidOption, { noun: 'option of one load ' });
}
