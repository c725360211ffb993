// Made pages have the sizes they were asked for, whole images, and the same bytes for the same seed.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folderOfTests } from '../../test/support/folder-of-tests.ts';
import { makePage, pageShapes } from './page-shapes.ts';

const folder = folderOfTests();

const filesOf = (made: string) =>
  readdirSync(made)
    .sort()
    .map((name) => [name, readFileSync(join(made, name))] as const);

describe.each(pageShapes)('$name', (shape) => {
  const [least, most] = shape.imageBytes;
  const made = makePage(shape, join(folder, shape.name, 'one'), 7);

  it('has its HTML and its images, of its sizes', () => {
    expect([made.htmlBytes, made.images]).toEqual([shape.htmlBytes, shape.images]);
    const html = readFileSync(join(made.folder, 'index.html'), 'utf8');
    for (const [name, body] of filesOf(made.folder).filter(([name]) => name.endsWith('.gif'))) {
      expect(html).toContain(`<img src="${name}"`);
      expect(body.length).toBeGreaterThanOrEqual(least);
      expect(body.length).toBeLessThanOrEqual(most);
      expect(body.toString('latin1', 0, 6)).toBe('GIF89a');
      expect(endOfComment(body)).toBe(body.length - 16);
    }
  });

  it('is the same for the same seed, and another for another', () => {
    const again = makePage(shape, join(folder, shape.name, 'again'), 7);
    const other = makePage(shape, join(folder, shape.name, 'other'), 8);
    expect(filesOf(again.folder)).toEqual(filesOf(made.folder));
    expect(filesOf(other.folder)).not.toEqual(filesOf(made.folder));
  });
});

/** Where the sub-blocks of the comment end (GIF89a 15): at the one without bytes. */
function endOfComment(gif: Buffer): number {
  let at = 21;
  while (gif[at] !== 0) at += 1 + (gif[at] ?? 0);
  return at + 1;
}
