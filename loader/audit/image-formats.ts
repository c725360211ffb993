// Finds images that became smaller when they were converted to another format, with the same pixels or with loss
// (Nielsen, Gettys et al. 1997, "Converting images from GIF to PNG and MNG", with current formats).

import { formatBytes } from '../report/units.ts';
import { drawnUrls } from './css-images.ts';
import { type Finding, type FindingItem, findingOn, nothing } from './finding.ts';
import type { Conversion, Loaded, Subject } from './subject.ts';

const leastSavedBytes = 128;
const leastSavedShare = 0.05;
/** Least share of the bytes (0..1) that a lossy conversion must save to be worth its loss. */
const leastSavedShareWithLoss = 0.25;

const names = { png: 'PNG', webp: 'WebP', avif: 'AVIF' };

export function imageFormats(subject: Subject): Finding[] {
  const apart = drawnUrls(subject);
  const images = subject.loaded.filter(({ row }) => row.kind === 'image' && !apart.has(row.url));
  const items = images.flatMap((image) => itemOf(image, subject) ?? []);
  const of = (isLossy: boolean) =>
    items.filter(({ quality }) => (quality !== null) === isLossy).map(({ item }) => item);
  return [
    ...findingOn(of(false), {
      kind: 'image-formats',
      title: 'Images are smaller in a newer format',
      advice: 'Store these images as named here; <picture> keeps the old file for old browsers.',
      how: 'converted with sharp; every pixel is the same, and animations have all frames and their times',
      sure: 'measured',
      visit: 'first',
    }),
    ...findingOn(of(true), {
      kind: 'photograph-formats',
      title: 'Photographs are smaller as AVIF or WebP',
      advice:
        'Store photographs as AVIF or WebP, made from the originals; <picture> keeps the old file for old browsers.',
      how: 'converted with sharp at the quality named; at most 0.2 % of the pixels differ by more than 32 of 255. Look at the result',
      sure: 'measured',
      visit: 'first',
    }),
  ];
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

/** Returns the conversion with the fewest bytes; null: none was tried. */
function shortest(conversions: readonly Conversion[]): Conversion | null {
  return conversions.toSorted((one, other) => one.bytes - other.bytes)[0] ?? null;
}
