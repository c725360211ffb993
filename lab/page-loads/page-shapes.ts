// Pages of other proportions than Microscape's, generated from a seed: the gain from reading ahead depends on how
// early the HTML names images and how long they take. Images are incompressible GIFs of exact sizes; the HTML is text
// with evenly spaced images.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { randomOf } from '../prefetchd/random.ts';
import { type PageFolder, pageFolder } from './page-folder.ts';

export interface PageShape {
  name: string;
  htmlBytes: number;
  images: number;
  /** Sizes are drawn evenly between the two. */
  imageBytes: readonly [least: number, most: number];
}

export const pageShapes: readonly PageShape[] = [
  { name: 'short HTML, big images', htmlBytes: 3_000, images: 12, imageBytes: [20_000, 60_000] },
  { name: 'long HTML, many small', htmlBytes: 120_000, images: 120, imageBytes: [300, 1_500] },
];

/** Writes the page into `folder`, which is made. The same seed makes the same bytes. */
export function makePage(shape: PageShape, folder: string, seed = 1): PageFolder {
  const random = randomOf(seed);
  mkdirSync(folder, { recursive: true });
  const names = Array.from({ length: shape.images }, (_, index) => `image-${index}.gif`);
  const [least, most] = shape.imageBytes;
  for (const name of names) {
    const bytes = least + Math.floor(random() * (most - least + 1));
    writeFileSync(join(folder, name), gifOf(bytes, random));
  }
  writeFileSync(join(folder, 'index.html'), htmlOf(shape.htmlBytes, names, random));
  return pageFolder(folder);
}

const words =
  'a page of words that names its pictures at even distances and says little about any of them while the reader waits for the next line to come over the wire'.split(
    ' ',
  );

function htmlOf(bytes: number, images: readonly string[], random: () => number): string {
  const [start, end] = ['<!doctype html><title>Shape</title>\n', '\n'];
  const tags = images.map((name) => `\n<img src="${name}" width=1 height=1>\n`);
  const proseBytes = bytes - [start, end, ...tags].join('').length;
  if (proseBytes < 0) throw new RangeError(`${bytes} bytes are too few for ${tags.length} images`);
  let prose = '';
  while (prose.length < proseBytes) prose += `${words[Math.floor(random() * words.length)]} `;
  const cut = (index: number) => Math.floor((proseBytes * index) / tags.length);
  const parts = tags.map((tag, index) => tag + prose.slice(cut(index), cut(index + 1)));
  return start + parts.join('') + end;
}

/** One pixel and a comment of random bytes (GIF89a 24), in sub-blocks of at most 255. */
function gifOf(bytes: number, random: () => number): Buffer {
  const head = Buffer.from('47494638396101000100800000ffffff00000021fe', 'hex');
  const tail = Buffer.from('002c00000000010001000002024401003b', 'hex');
  const blocks: Buffer[] = [];
  for (let left = bytes - head.length - tail.length; left > 0; ) {
    // A last block of its length byte alone would end the comment.
    const taken = Math.min(left, 256) - (left === 257 ? 1 : 0);
    const block = Buffer.from(Array.from({ length: taken }, () => Math.floor(random() * 256)));
    block[0] = taken - 1;
    blocks.push(block);
    left -= taken;
  }
  return Buffer.concat([head, ...blocks, tail]);
}
