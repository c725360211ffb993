// Finds images that are smaller in another format, as tried: with the same pixels, or as a photograph (Nielsen, Gettys
// et al. 1997, "Converting images from GIF to PNG and MNG", with current formats).

import { formatBytes } from '../report/units.ts';
import { byWeight, type Finding, type FindingItem, nothing, sumOf } from './finding.ts';
import type { Conversion, Loaded, Subject } from './subject.ts';

const leastSavedBytes = 128;
const leastSavedShare = 0.05;
/** Least share that a lossy conversion must save to be worth its loss. */
const leastSavedShareWithLoss = 0.25;

const names = { png: 'PNG', webp: 'WebP', avif: 'AVIF' };

/** @param apart URLs of images that are to be removed altogether */
export function imageFormats(subject: Subject, apart: ReadonlySet<string>): Finding[] {
  const images = subject.loaded.filter(({ row }) => row.kind === 'image' && !apart.has(row.url));
  const items = images.map((image) => itemOf(image, subject));
  const same = items.flatMap((item) => (item?.quality === null ? [item.item] : []));
  const photographs = items.flatMap((item) => (item?.quality != null ? [item.item] : []));
  return [
    findingOf(same, {
      kind: 'image-formats',
      title: 'Images are smaller in a newer format',
      advice: 'Store these images as named here; <picture> keeps the old file for old browsers.',
      how: 'converted with sharp; every pixel is the same, and animations have all frames and their times',
    }),
    findingOf(photographs, {
      kind: 'photograph-formats',
      title: 'Photographs are smaller as AVIF or WebP',
      advice:
        'Store photographs as AVIF or WebP, made from the originals; <picture> keeps the old file for old browsers.',
      how: 'converted with sharp at the quality named; at most 0.2 % of the pixels differ by more than 32 of 255. Look at the result',
    }),
  ].flatMap((finding) => finding ?? []);
}

function findingOf(
  items: FindingItem[],
  words: Pick<Finding, 'kind' | 'title' | 'advice' | 'how'>,
): Finding | null {
  if (items.length === 0) return null;
  const sorted = items.toSorted(byWeight);
  return { ...words, sure: 'measured', visit: 'first', saves: sumOf(items), items: sorted };
}

function itemOf(
  { row }: Loaded,
  { trials }: Subject,
): { item: FindingItem; quality: number | null } | null {
  const conversions = trials.images.get(row.url)?.conversions ?? [];
  const exact = shortest(conversions.filter(({ quality }) => quality === null));
  const lossy = shortest(conversions.filter(({ quality }) => quality !== null));
  const now = row.encodedBytes;
  const isWorthLoss =
    lossy !== null &&
    lossy.bytes < Math.min(now, exact?.bytes ?? now) * (1 - leastSavedShareWithLoss);
  const best = isWorthLoss ? lossy : exact;
  if (best === null) return null;
  const bytes = now - best.bytes;
  if (bytes < leastSavedBytes || bytes < now * leastSavedShare) return null;
  const how = best.quality === null ? '' : ` at quality ${best.quality}`;
  const tried = Object.fromEntries(
    conversions.map(({ format, quality, bytes: size }) => [
      quality === null ? format : `${format}-${quality}`,
      size,
    ]),
  );
  const note = `${formatBytes(now)}; ${names[best.format]}${how}: ${formatBytes(best.bytes)}`;
  return {
    item: { url: row.url, note, saves: { ...nothing, bytes }, tried },
    quality: best.quality,
  };
}

const shortest = (conversions: readonly Conversion[]): Conversion | null =>
  conversions.reduce<Conversion | null>(
    (least, one) => (least === null || one.bytes < least.bytes ? one : least),
    null,
  );
