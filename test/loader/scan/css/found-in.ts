// What a sheet refers to, asked of a page by the elements that it has; the same in every chunking, or an error.

import { PageStyles } from '../../../../loader/scan/css/page-styles.ts';
import type { StyleFound } from '../../../../loader/scan/css/style-rule.ts';
import { PageTree } from '../../../../loader/scan/html/page-tree.ts';
import { defaultScreen } from '../../../../loader/scan/style/environment.ts';
import { inEveryChunking } from '../every-chunking.ts';

const settings = { screen: defaultScreen };

/** @param elements `p.a.b#i`, separated by spaces, each with text and in the one before */
function page(elements: string): PageTree {
  const tree = new PageTree();
  for (const each of elements.split(' ')) {
    const [, name = ''] = /^([^.#]*)/.exec(each) ?? [];
    const classes = [...each.matchAll(/\.([^.#]+)/g)].map(([, word]) => word).join(' ');
    const id = /#([^.#]+)/.exec(each)?.[1];
    const attributes = new Map([['class', classes]]);
    if (id !== undefined) attributes.set('id', id);
    const rest = { isSelfClosing: false, offset: 0 };
    tree.open({ name: name || 'div', attributes, ...rest }, false);
    tree.text('text');
  }
  return tree;
}

export type Told = StyleFound & { sure: boolean };

/** By their places in the sheet. */
export function scan(chunks: readonly string[], elements: string): Told[] {
  const told: Told[] = [];
  let isOver = false;
  const tree = page(elements);
  const styles = new PageStyles({ tree: () => tree, settings });
  const tell = (item: StyleFound) =>
    void told.push({ ...item, sure: !isOver && item.skipped === undefined });
  const sheet = styles.sheet(tell, { at: 1, applies: true });
  for (const chunk of chunks) sheet.write(chunk);
  sheet.end();
  styles.update();
  isOver = true;
  styles.end();
  return told.toSorted((a, b) => a.offset - b.offset);
}

export const found = (css: string): Told[] =>
  inEveryChunking(css, (chunks) => scan(chunks, 'html body p'));

/** Of those that are fetched; those that another page would fetch end in `?`. */
export function fetched(css: string): string[] {
  return found(css)
    .filter(({ sure, skipped }) => sure || /^(?:in @\w+$|no |its )/.test(skipped ?? ''))
    .map(({ written, sure }) => (sure ? written : `${written}?`));
}

/** What a style attribute refers to. */
export function foundInAttribute(style: string): StyleFound[] {
  const tree = page('p');
  const items: StyleFound[] = [];
  const styles = new PageStyles({ tree: () => tree, settings });
  const [element] = tree.elements.slice(-1);
  if (element) styles.attribute(element, style, false, (item) => items.push(item));
  styles.update();
  return items;
}
