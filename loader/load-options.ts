// What one load can be told; other options belong to its loader.

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
  /** Aborts the load; it then rejects with the signal's reason. */
  signal?: AbortSignal;
  /** Called as resources are found and end, and as bytes come: often. */
  onProgress?: (progress: LoadProgress) => void;
  /** How the cache is used (Fetch Standard, request cache mode); default `default`. `no-cache` validates all. */
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
  cacheMode: option(oneOf(cacheModes), 'default', 'Cache mode of this page.'),
} satisfies TableOf<LoadOptions>);

/** @throws LoaderError `invalid-option` */
export function checkLoadOptions(options: LoadOptions): void {
  checked(loadKind, options, invalidOption, { noun: 'option of one load ' });
}
