// What the scanners of HTML and CSS are measured on: the saved pages of fixtures/, and their style sheets.

import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pageFixtures, pagesDir } from '../../fixtures/pages.ts';
import { createScanner } from '../../loader/scan/index.ts';
import { microscape } from '../paths.ts';

/** The data of one TCP segment on Ethernet. */
export const chunkLength = 1_460;

export interface Document {
  readonly name: string;
  readonly bytes: number;
  /** As a network delivers it. */
  readonly byteChunks: readonly Uint8Array[];
  /** The same decoded, for readers that know no encodings. */
  readonly textChunks: readonly string[];
  readonly text: string;
}

export function pages(): Document[] {
  const files = pageFixtures().map(({ name, html }) => ({ name, file: html }));
  return [{ name: 'microscape', file: join(microscape, 'index.html') }, ...files].map(
    ({ name, file }) => documentOf(name, readFileSync(file)),
  );
}

export function sheets(): Document[] {
  const files = globSync('*/files/**/*.css', { cwd: pagesDir }).sort();
  return files.map((file) => {
    const page = file.split('/', 1)[0];
    return documentOf(`${page} ${basename(file)}`, readFileSync(join(pagesDir, file)));
  });
}

function documentOf(name: string, content: Buffer): Document {
  const scanner = createScanner({ url: 'http://site.example/' });
  scanner.write(content);
  scanner.end();
  const text = new TextDecoder(scanner.charset ?? 'utf-8').decode(content);
  return { name, bytes: content.length, byteChunks: cut(content), textChunks: cut(text), text };
}

function cut<T extends { length: number; slice(start: number, end: number): T }>(whole: T): T[] {
  const count = Math.ceil(whole.length / chunkLength);
  return Array.from({ length: count }, (_, index) =>
    whole.slice(index * chunkLength, (index + 1) * chunkLength),
  );
}
