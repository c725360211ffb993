// What a sheet refers to, asked of a page by the elements that it has; the same in every chunking, or an error.

import { type CssOptions, CssScanner } from '../../../../loader/scan/css/css-scanner.ts';
import { CustomProperties } from '../../../../loader/scan/css/custom-properties.ts';
import type { CssFound } from '../../../../loader/scan/css/found.ts';
import { PageCascade } from '../../../../loader/scan/css/page-cascade.ts';
import { PageStyles } from '../../../../loader/scan/css/page-styles.ts';
import { type ShownElement, ShownElements } from '../../../../loader/scan/css/shown-elements.ts';
import { defaultScreen } from '../../../../loader/scan/style/environment.ts';
import { chunkings } from '../chunkings.ts';

const place = { at: 1, applies: true };

/** @param elements `p.a.b#i`, separated by spaces, each with text and in the one before */
export function page(elements: string): ShownElements {
  const shown = new ShownElements();
  let parent: ShownElement | null = null;
  for (const each of elements.split(' ')) {
    const [, name = ''] = /^([^.#]*)/.exec(each) ?? [];
    const classes = [...each.matchAll(/\.([^.#]+)/g)].map(([, word]) => word).join(' ');
    const id = /#([^.#]+)/.exec(each)?.[1];
    parent = shown.show(parent, { type: name || 'div', classes: classes || undefined, id });
    if (parent !== null) shown.addText(parent);
  }
  return shown;
}

export interface Told extends CssFound {
  sure: boolean;
}

/** By their places in the sheet. */
export function scan(chunks: readonly string[], elements: string, dpr = 1): Told[] {
  const told: Told[] = [];
  let isOver = false;
  const styles = new PageStyles({ ...defaultScreen, dpr }, page(elements), false);
  const sheet = styles.sheet((item) => {
    told.push({ ...item, sure: !isOver && item.skipped === undefined });
  }, place);
  for (const chunk of chunks) sheet.write(chunk);
  sheet.end();
  styles.update();
  isOver = true;
  styles.end();
  return told.toSorted((a, b) => a.offset - b.offset);
}

export function found(css: string, elements = 'html body p', dpr = 1): Told[] {
  let first: string | null = null;
  for (const { name, chunks } of chunkings(css)) {
    const result = JSON.stringify(scan(chunks, elements, dpr));
    first ??= result;
    if (result !== first) throw new Error(`${name}: ${result}, not ${first}`);
  }
  return scan([css], elements, dpr);
}

/** Of those that are fetched; those that another page would fetch end in `?`. */
export function fetched(css: string, elements?: string, dpr?: number): string[] {
  return found(css, elements, dpr)
    .filter(({ sure, skipped }) => sure || /^(?:in @\w+$|no |its )/.test(skipped ?? ''))
    .map(({ written, sure }) => (sure ? written : `${written}?`));
}

/** A scanner of one sheet, for a page without elements. */
export function scannerFor(onFound: (item: CssFound) => void): CssScanner {
  return new CssScanner(cssOptions(onFound));
}

export function cssOptions(onFound: (item: CssFound) => void): CssOptions {
  const cascade = new PageCascade(new ShownElements());
  const variables = new CustomProperties<never>(() => {});
  return { screen: defaultScreen, cascade, place, variables, onFound };
}
