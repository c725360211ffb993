// What an audit tries besides the load: images in other formats, and a request for a part. sharp converts; it is larger
// than all other packages together and not installed with this one, so nothing is converted where it is missing.

import type { ImageTrial, Loaded, RangeTrial, Trials } from '../audit/subject.ts';
import { isPlain, isText } from '../audit/uncompressed-text.ts';
import { createFetch, type FetchOptions } from '../fetch/fetch.ts';
import { formatBytes, plural } from '../report/units.ts';
import { imageTrial } from './image-trial.ts';
import type { Sharp } from './pixels.ts';
import { TrialTime } from './trial-time.ts';

/** For all images, the largest first. */
const usualImagesMs = 60_000;
/** A transfer of less seldom breaks. */
const leastRangeBytes = 100_000;
const rangeMs = 10_000;
/** More than a part was asked for; the rest of a whole one is not read. */
const part = 'bytes=0-99';

export interface TrialOptions {
  /** How a URL is asked for. */
  fetchOptions: (url: string) => FetchOptions;
  signal?: AbortSignal | undefined;
  onProgress?: ((what: string) => void) | undefined;
  /** How long images are converted. */
  imagesMs?: number;
}

export async function tryOut(loaded: readonly Loaded[], options: TrialOptions): Promise<Trials> {
  const untried: string[] = [];
  const range = await tryRange(loaded, options, untried);
  const images = await tryImages(loaded, options, untried);
  return { images, range, untried };
}

async function tryImages(
  loaded: readonly Loaded[],
  { signal, onProgress, imagesMs = usualImagesMs }: TrialOptions,
  untried: string[],
): Promise<Map<string, ImageTrial>> {
  const found = new Map<string, ImageTrial>();
  const images = loaded
    .filter(
      ({ row, body }) => row.kind === 'image' && body !== null && row.mimeType !== 'image/svg+xml',
    )
    .toSorted((one, other) => other.row.encodedBytes - one.row.encodedBytes);
  if (images.length === 0) return found;
  const sharp = await loadSharp();
  if (sharp === null) {
    const many = plural(images.length, 'image');
    untried.push(`${many} in other formats: sharp is not installed (npm install sharp)`);
    return found;
  }
  const time = new TrialTime(imagesMs, signal);
  const timed = time.bound(sharp);
  const broken: string[] = [];
  for (const [index, { row, body }] of images.entries()) {
    onProgress?.(`converting images: ${index + 1} of ${images.length}`);
    try {
      const trial = await time.orAborted(imageTrial(timed, body as Buffer));
      if (trial !== null) found.set(row.url, trial);
    } catch {
      signal?.throwIfAborted();
      if (time.isOver) {
        const left = plural(images.length - index, 'image');
        const seconds = imagesMs / 1000;
        untried.push(`${left} in other formats: ${seconds} s were up, larger ones came first`);
        break;
      }
      broken.push(row.url);
    }
  }
  if (broken.length > 0) {
    untried.push(`${plural(broken.length, 'image')} that could not be read: ${broken[0]}`);
  }
  return found;
}

async function loadSharp(): Promise<Sharp | null> {
  try {
    return (await import('sharp')).default;
  } catch {
    return null;
  }
}

async function tryRange(
  loaded: readonly Loaded[],
  { fetchOptions, signal, onProgress }: TrialOptions,
  untried: string[],
): Promise<RangeTrial | null> {
  const plain = loaded.filter((each) => isPlain(each) && !isText(each));
  const largest = plain.reduce<Loaded | null>(
    (most, one) => (most === null || one.row.encodedBytes > most.row.encodedBytes ? one : most),
    null,
  );
  if (largest === null || largest.row.encodedBytes < leastRangeBytes) {
    const size =
      largest === null
        ? 'there is none'
        : `the largest has ${formatBytes(largest.row.encodedBytes)}`;
    untried.push(
      `ranges: of images, fonts and other files that are not text ${size}; from ${formatBytes(leastRangeBytes)} it matters`,
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
    untried.push(`ranges: the request for a part of ${url} failed`);
    return null;
  } finally {
    await fetch.destroy();
  }
}
