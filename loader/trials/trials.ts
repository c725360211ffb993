// What an audit tries in addition to the load: images in other formats, and a request for a range.

import type { Loaded, RangeTrial, Trials } from '../audit/subject.ts';
import { isPlain, isText } from '../audit/uncompressed-text.ts';
import { createFetch, type FetchOptions } from '../fetch/fetch.ts';
import { formatBytes } from '../report/units.ts';
import { type ImageOptions, tryImages } from './images.ts';

/** Smallest resource that is tested; shorter transfers seldom break. */
const leastRangeBytes = 100_000;
const rangeMs = 10_000;
/** The requested range; the rest of a whole response is not read. */
const part = 'bytes=0-99';

export interface TrialOptions extends ImageOptions {
  /** Options for requesting a URL. */
  fetchOptions: (url: string) => FetchOptions;
}

export async function tryOut(loaded: readonly Loaded[], options: TrialOptions): Promise<Trials> {
  const rangeUntried: string[] = [];
  const range = await tryRange(loaded, options, rangeUntried);
  const { images, untried } = await tryImages(loaded, options);
  return { images, range, untried: [...untried, ...rangeUntried], uncounted: untried };
}

async function tryRange(
  loaded: readonly Loaded[],
  { fetchOptions, signal, onProgress }: TrialOptions,
  untried: string[],
): Promise<RangeTrial | null> {
  const binary = loaded.filter((each) => isBinary(each));
  const [largest] = binary.toSorted((one, other) => other.row.encodedBytes - one.row.encodedBytes);
  // A page that has only text needs no ranges.
  if (largest === undefined) return null;
  if (largest.row.encodedBytes < leastRangeBytes) {
    untried.push(
      `range requests: not tested (no binary file of ${formatBytes(leastRangeBytes)} or more)`,
    );
    return null;
  }
  const { url } = largest.row;
  onProgress?.('asking for a part of the largest resource');
  const fetch = createFetch(fetchOptions(url));
  const timeout = AbortSignal.timeout(rangeMs);
  try {
    const response = await fetch(url, {
      headers: { Range: part, 'Accept-Encoding': 'identity' },
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
    });
    await response.body?.cancel();
    return { url, status: response.status };
  } catch {
    signal?.throwIfAborted();
    untried.push(`range requests: the request for a part of ${url} failed`);
    return null;
  } finally {
    await fetch.destroy();
  }
}

/** Whether the body is binary and not empty; a body with a content coding is excluded, as it is served differently. */
const isBinary = (each: Loaded): boolean =>
  each.row.encodedBytes > 0 && isPlain(each) && !isText(each);
