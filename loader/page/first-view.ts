// When the first view could be painted, as far as a loader without layout can say: what rendering waits for is
// complete, and so are the images that the first view can hold. It is an estimate, and no paint: docs/discovery.md.

import { isShownInPlace } from './namings.ts';
import type { Resource } from './resource.ts';

export interface View {
  /** CSS pixels. */
  width: number;
  height: number;
  /** Device pixels per CSS pixel. */
  dpr: number;
}

/** Those that the first view waits for. @param resources In the order in which the page names them. */
export function firstViewResources(resources: readonly Resource[], view: View): Resource[] {
  const used = resources.filter(({ row }) => row.purpose === 'use' || row.purpose === 'rest');
  const blocking = used.filter(({ how }) => how.isBlocking === true);
  const images = used
    .filter(({ row, how }) => row.kind === 'image' && isShownInPlace(how))
    .toSorted((a, b) => (a.how.offset ?? 0) - (b.how.offset ?? 0));
  return [...blocking, ...fitting(images, view)];
}

/**
 * The images before the first one that must be below the view: images take at least their area, however they are laid
 * out. One of unknown size takes none.
 */
function fitting(images: readonly Resource[], { width, height, dpr }: View): Resource[] {
  let above = 0;
  const fit: Resource[] = [];
  for (const image of images) {
    if (above >= height) break;
    fit.push(image);
    // The rest of an image has its size in the row of its first bytes.
    const [w, h] = [(image.row.width ?? 0) / dpr, (image.row.height ?? 0) / dpr];
    const scale = w > width ? width / w : 1;
    above += (w * h * scale * scale) / width;
  }
  return fit;
}
