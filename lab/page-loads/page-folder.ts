// The page that every bench loads, and the totals of a complete load.

import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

export interface PageFolder {
  folder: string;
  /** Where a server of the folder has the page. */
  path: string;
  htmlBytes: number;
  images: number;
  /** The HTML, and the images beside it and in `images/`; other folders hold pages of their own. */
  bytes: number;
}

/** @throws Error when the folder is no page. */
export function pageFolder(folder: string): PageFolder {
  const html = join(folder, 'index.html');
  if (!existsSync(html)) throw new Error(`no page at ${html}`);
  const own = existsSync(join(folder, 'images')) ? ['', 'images'] : [''];
  const files = own.flatMap((sub) => readdirSync(join(folder, sub)).map((name) => join(sub, name)));
  const images = files.filter((name) => /\.(?:avif|gif|png|webp)$/.test(name));
  const htmlBytes = statSync(html).size;
  const imageBytes = images.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
  return { folder, path: '/', htmlBytes, images: images.length, bytes: htmlBytes + imageBytes };
}

/** A load that is not whole must not count as fast. */
export function requireWhole(
  page: PageFolder,
  load: { responses: number; bodyBytes: number; errors: readonly string[] },
): void {
  const { images, bytes } = page;
  if (load.errors.length === 0 && load.responses === images + 1 && load.bodyBytes === bytes) return;
  throw new Error(
    `not the whole page: ${load.responses} responses of ${images + 1}, ${load.bodyBytes} bytes of ${bytes}; ${load.errors.join('; ')}`,
  );
}
