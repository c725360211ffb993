// Tries all images of a page: the properties of each are read before any is converted, and the cheap conversions of all
// come before the expensive ones of any, small images first. So when the time is up, little is missing, and always the
// same kind. sharp converts; it is larger than all other packages together and is not installed with this one, so
// nothing is converted where it is missing.

import type { ImageTrial, Loaded } from '../audit/subject.ts';
import { plural } from '../report/units.ts';
import { attemptsByCost, attemptsOn, pictureOf, type TriedImage } from './image-trial.ts';
import type { Sharp } from './pixels.ts';

/** Default time for converting all images together, ms. */
export const usualConvertMs = 60_000;

export interface ImageOptions {
  signal?: AbortSignal | undefined;
  onProgress?: ((what: string) => void) | undefined;
  /** Time for converting images, ms; a conversion that has begun by then is awaited. 0: nothing is converted. */
  convertMs?: number | undefined;
}

export interface ImageTrials {
  images: Map<string, ImageTrial>;
  /** Images that were not tried, with the reason. */
  untried: string[];
}

export async function tryImages(
  loaded: readonly Loaded[],
  { signal, onProgress, convertMs = usualConvertMs }: ImageOptions,
): Promise<ImageTrials> {
  const none = (why: string): ImageTrials => ({ images: new Map(), untried: [why] });
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

  const time = new TrialTime(convertMs, signal);
  const timed = time.bound(sharp);
  const [pictures, broken, unfinished] = [
    new Map<string, TriedImage>(),
    new Set<string>(),
    new Set<string>(),
  ];
  /** Runs one step for an image, and records it as unfinished or broken if the step fails. */
  const attempt = async (url: string, work: () => Promise<unknown>): Promise<void> => {
    if (broken.has(url)) return;
    try {
      await time.orAborted(work());
    } catch {
      signal?.throwIfAborted();
      if (time.isOver) unfinished.add(url);
      else broken.add(url);
    }
  };
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
  return {
    images: new Map([...pictures].map(([url, { trial }]) => [url, trial])),
    untried: [
      ...(unfinished.size === 0
        ? []
        : [
            `${unfinished.size} of ${all} not fully converted: stopped after ${convertMs / 1000} s`,
          ]),
      ...(broken.size === 0
        ? []
        : [`${plural(broken.size, 'image')} could not be read: ${[...broken][0]}`]),
    ],
  };
}

/** The conversions to try, the cheapest first. */
export function conversionsOf(pictures: ReadonlyMap<string, TriedImage>) {
  return [...pictures]
    .flatMap(([url, picture]) =>
      attemptsOn(picture).map((convert) => ({
        url,
        picture,
        convert,
        cost: attemptsByCost.indexOf(convert),
      })),
    )
    .toSorted((one, other) => one.cost - other.cost || one.picture.pixels - other.picture.pixels);
}

async function loadSharp(): Promise<Sharp | null> {
  try {
    return (await import('sharp')).default;
  } catch {
    return null;
  }
}

/**
 * The time for converting images: one image takes many conversions, and a large one may take longer than all others
 * together. So each conversion gets the remaining time, and none begins once the time is up or the caller has aborted.
 */
class TrialTime {
  readonly #endMs: number;
  readonly #signal: AbortSignal | undefined;

  constructor(timeMs: number, signal: AbortSignal | undefined) {
    this.#endMs = performance.now() + timeMs;
    this.#signal = signal;
  }

  get isOver(): boolean {
    return performance.now() >= this.#endMs;
  }

  /** Limits an image's operations: they fail when the time is up, in whole seconds of sharp, or at once if it is. */
  bound(sharp: Sharp): Sharp {
    return (file, options) => {
      this.#signal?.throwIfAborted();
      if (this.isOver) throw new Error('the time is up');
      const seconds = Math.ceil((this.#endMs - performance.now()) / 1000);
      return sharp(file, options).timeout({ seconds });
    };
  }

  /** Waits unless the caller aborts; a conversion in progress cannot be stopped. @throws The signal's reason */
  async orAborted<Result>(work: Promise<Result>): Promise<Result> {
    const signal = this.#signal;
    if (signal === undefined) return await work;
    work.catch(() => {});
    const { promise, reject } = Promise.withResolvers<never>();
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    try {
      signal.throwIfAborted();
      return await Promise.race([work, promise]);
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }
}
