// Microscape as it is and its variants with other content, as folders to measure and as pages to load.

import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type PageFolder, pageFolder } from '../page-loads/page-folder.ts';
import { microscape } from '../paths.ts';

interface Described {
  styleBytes: { replaced: number; halved: number };
  replaced: Array<{ from: string; bytes: number; markupBytes: number }>;
  halved: Array<{ from: string; bytes: number; halfBytes: number; markupBytes: number }>;
  pages: Array<{
    folder: string;
    images: Array<{ file: string; bytes: number; animated: boolean }>;
  }>;
}

export interface ContentVariant {
  name: string;
  page: PageFolder;
  html: Buffer;
  /** The style sheet in the HTML; 0: there is none. */
  styleBytes: number;
  stillBytes: number;
  animatedBytes: number;
}

const readJson = (file: string) => JSON.parse(readFileSync(join(microscape, file), 'utf8'));

const described = (): Described => readJson('variants.json');

const markup = (rows: ReadonlyArray<{ markupBytes: number }>): number =>
  rows.reduce((sum, { markupBytes }) => sum + markupBytes, 0);

const total = (rows: readonly { bytes: number }[]): number =>
  rows.reduce((sum, { bytes }) => sum + bytes, 0);

/** The first page, then its variants. */
export function contentVariants(): ContentVariant[] {
  const { images } = readJson('manifest.json') as {
    images: Array<{ file: string; frames: number }>;
  };
  const rows = images.map(({ file, frames }) => ({
    bytes: statSync(join(microscape, file)).size,
    animated: frames > 1,
  }));
  const { pages, styleBytes } = described();
  return [
    variant('as it is', '', rows, 0),
    ...pages.map(({ folder, images }) =>
      variant(
        folder,
        folder,
        images,
        folder === 'png' ? 0 : styleBytes.replaced + styleBytes.halved,
      ),
    ),
  ];
}

function variant(
  name: string,
  folder: string,
  images: ReadonlyArray<{ bytes: number; animated: boolean }>,
  styleBytes: number,
): ContentVariant {
  const page = pageFolder(join(microscape, folder));
  const path = folder === '' ? '/' : `/${folder}/`;
  return {
    name,
    page: { ...page, path },
    html: readFileSync(join(microscape, folder, 'index.html')),
    styleBytes,
    stillBytes: total(images.filter(({ animated }) => !animated)),
    animatedBytes: total(images.filter(({ animated }) => animated)),
  };
}

/** What the paper gives a figure for, of the variants together. */
export function replacements() {
  const { styleBytes, replaced, halved } = described();
  const left = halved.reduce((sum, { halfBytes }) => sum + halfBytes, 0);
  return {
    images: replaced.length,
    gifBytes: total(replaced),
    htmlAndCssBytes: styleBytes.replaced + markup(replaced),
    halvedImages: halved.length,
    halvedGifBytes: total(halved),
    halfBytes: left,
    halfWithHtmlAndCssBytes: left + styleBytes.halved + markup(halved),
  };
}
