// What an audit tries in addition to the load: images in other formats. The properties of each image are read before
// any is converted, and the cheap conversions of all images come before the expensive ones of any, small images first.
// So when the time is up, only expensive conversions are missing. The package sharp converts; it is larger than all
// other packages together and is not installed with this one, so nothing is converted where it is missing.

import type { Loaded, Trials } from '../audit/subject.ts';
import { plural } from '../report/units.ts';
import {
  conversions,
  isWorthTrying,
  pictureOf,
  type Sharp,
  type TriedImage,
} from './image-trial.ts';

export interface TrialOptions {
  signal?: AbortSignal | undefined;
  onProgress?: ((what: string) => void) | undefined;
  convertMs: number;
}

export async function tryImages(
  loaded: readonly Loaded[],
  { signal, onProgress, convertMs }: TrialOptions,
): Promise<Trials> {
  const none = (why: string): Trials => ({ images: new Map(), untried: [why] });
  const files = loaded
    .flatMap(({ row, body }) => {
      const isPixels = row.kind === 'image' && row.mimeType !== 'image/svg+xml';
      return isPixels && body !== null ? { url: row.url, body } : [];
    })
    .toSorted((one, other) => one.body.length - other.body.length);
  if (files.length === 0) return { images: new Map(), untried: [] };
  const all = plural(files.length, 'image');
  if (convertMs === 0) return none(`${all} not checked, as asked`);
  const sharp = await loadSharp();
  if (sharp === null) return none(`${all} not checked: sharp is not installed (npm install sharp)`);

  const endMs = performance.now() + convertMs;
  /** Opens an image and limits its processing to the time left, in whole seconds; throws if none is left. */
  const timed: Sharp = (file, options) => {
    signal?.throwIfAborted();
    const leftMs = endMs - performance.now();
    if (leftMs <= 0) throw new Error('the time is up');
    return sharp(file, options).timeout({ seconds: Math.ceil(leftMs / 1000) });
  };
  // A conversion in progress cannot be stopped, so nobody waits for it once the caller aborts.
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  aborted.catch(() => {});
  const abort = () => reject(signal?.reason);
  signal?.addEventListener('abort', abort);
  const pictures = new Map<string, TriedImage>();
  const [broken, unfinished] = [new Set<string>(), new Set<string>()];
  /** Runs one step (reading, converting) for an image, and records the image as unfinished or broken if that fails. */
  const attempt = async (url: string, step: () => Promise<unknown>): Promise<void> => {
    if (broken.has(url)) return;
    try {
      await Promise.race([step(), aborted]);
    } catch {
      signal?.throwIfAborted();
      (performance.now() >= endMs ? unfinished : broken).add(url);
    }
  };
  try {
    for (const [index, { url, body }] of files.entries()) {
      onProgress?.(`looking at images: ${index + 1} of ${files.length}`);
      await attempt(url, async () => {
        const picture = await pictureOf(timed, body);
        if (picture !== null) pictures.set(url, picture);
      });
    }
    const work = conversionsOf(pictures);
    for (const [index, { url, picture, convert }] of work.entries()) {
      onProgress?.(`converting images: ${index + 1} of ${work.length} conversions`);
      await attempt(url, () => convert(timed, picture));
    }
  } finally {
    signal?.removeEventListener('abort', abort);
  }
  const untried: string[] = [];
  if (unfinished.size > 0) {
    const stopped = `stopped after ${convertMs / 1000} s`;
    untried.push(`${unfinished.size} of ${all} not fully converted: ${stopped}`);
  }
  if (broken.size > 0) {
    untried.push(`${plural(broken.size, 'image')} could not be read: ${[...broken][0]}`);
  }
  return { images: new Map([...pictures].map(([url, { trial }]) => [url, trial])), untried };
}

/** Returns the image conversions to try: cheap ones of all images, then expensive ones, each small images first. */
export function conversionsOf(pictures: ReadonlyMap<string, TriedImage>) {
  const bySize = [...pictures]
    .map(([url, picture]) => ({ url, picture }))
    .toSorted((one, other) => one.picture.pixels - other.picture.pixels);
  return conversions.flatMap((convert) =>
    bySize
      .filter(({ picture }) => isWorthTrying(convert, picture))
      .map((image) => ({ ...image, convert })),
  );
}

async function loadSharp(): Promise<Sharp | null> {
  try {
    return (await import('sharp')).default;
  } catch {
    return null;
  }
}
