// The URLs of one value that a browser fetches, and the custom properties that it uses (CSS Images 4, CSS Variables 1).

import { isImageType } from '../html/image-types.ts';
import type { Screen } from '../style/environment.ts';
import { type CssNode, childrenOf, nodesOfValue, splitAtCommas } from './css-tree.ts';

export interface ValueUrls {
  readonly urls: string[];
  readonly uses: VariableUse[];
}

/** `var()` */
export interface VariableUse {
  /** Dashes included. */
  readonly name: string;
  /** What counts if the custom property is not set. */
  readonly fallback: ValueUrls;
}

/** What makes it worth while to read a value, beside a backslash in the name of a function. */
const refersPlainly = /url\(|image-set\(|var\(|src\(|-(?:moz|ms|o)-/i;
const mayRefer = (value: string): boolean =>
  refersPlainly.test(value) || (value.includes('\\') && value.includes('('));
const nothing: ValueUrls = { urls: [], uses: [] };

/** Functions that Chromium 156 does not know; a declaration with one of them is ignored. */
const unknown = /^(?:src|image|cross-fade|element|paint-image|-(?:moz|ms|o)-.*)$/i;

/** @returns null: the value is invalid, so that its declaration does not count */
export function urlsOfValue(text: string, screen: Screen): ValueUrls | null {
  if (!mayRefer(text)) return nothing;
  const nodes = nodesOfValue(text);
  const found: ValueUrls = { urls: [], uses: [] };
  return nodes?.every((node) => read(node, screen, found)) ? found : null;
}

function read(node: CssNode, screen: Screen, found: ValueUrls): boolean {
  const { type, name } = node;
  if (type === 'Url') add(found, node.value);
  if (type === 'Identifier' && /^-(?:moz|ms|o)-/i.test(name)) return false;
  if (type !== 'Function') return childrenOf(node).every((each) => read(each, screen, found));
  if (unknown.test(name)) return false;
  const content = childrenOf(node);
  switch (name.toLowerCase()) {
    case 'var':
      return readVariable(content, screen, found);
    case 'image-set':
    case '-webkit-image-set': {
      const chosen = imageOfSet(content, screen);
      if (chosen !== null) add(found, chosen);
      return chosen !== null;
    }
    default:
      return content.every((each) => read(each, screen, found));
  }
}

/** data: URLs bring their content, and a fragment alone is in the document that is there. */
function add({ urls }: ValueUrls, url: string): void {
  const written = url.trim();
  if (written !== '' && !written.startsWith('#') && !/^data:/i.test(written)) urls.push(written);
}

function readVariable([first, ...rest]: CssNode[], screen: Screen, { uses }: ValueUrls): boolean {
  if (!first?.name?.startsWith('--')) return false;
  const fallback: ValueUrls = { urls: [], uses: [] };
  uses.push({ name: first.name, fallback });
  return rest.every((node) => read(node, screen, fallback));
}

/**
 * The standard leaves the choice open (CSS Images 4, 2.4). Chromium 156 takes the smallest that is sharp on the screen,
 * or else the largest; of equal ones the first.
 * @returns '': none is of a type that is shown; null: it is invalid
 */
function imageOfSet(content: readonly CssNode[], screen: Screen): string | null {
  const all = splitAtCommas(content).map(optionOf);
  const options = all.filter((option) => option !== null);
  if (options.length < all.length) return null;
  const shown = options.filter(({ isShown }) => isShown);
  shown.sort((one, other) => one.density - other.density);
  const sharp = shown.find(({ density }) => density >= screen.dpr);
  return (sharp ?? shown.find(({ density }) => density === shown.at(-1)?.density))?.url ?? '';
}

const perDppx: Readonly<Record<string, number>> = { x: 1, dppx: 1, dpi: 96, dpcm: 96 / 2.54 };

function optionOf(part: readonly CssNode[]) {
  let url: string | null = null;
  let density: number | null = 1;
  let isShown = true;
  for (const node of part) {
    const isFunction = node.type === 'Function';
    const name = isFunction ? node.name.toLowerCase() : '';
    if (node.type === 'Url' || node.type === 'String') url = node.value;
    else if (name === 'type')
      isShown = isImageType(childrenOf(node)[0]?.value?.toLowerCase() ?? '');
    else if (name !== '' && name !== 'calc')
      url ??= ''; // a gradient
    else density = densityOf(node);
    if (density === null) return null;
  }
  return url === null ? null : { url, density, isShown };
}

/** Of calc() only products are read, such as `2 * 1x`. */
function densityOf(node: CssNode): number | null {
  const { type, value, unit } = node;
  if (type === 'Function') {
    const factors = childrenOf(node).filter((each) => each.value !== '*');
    return factors.reduce<number | null>((product, each) => {
      const factor = each.type === 'Number' ? Number(each.value) : densityOf(each);
      return product === null || factor === null ? null : product * factor;
    }, 1);
  }
  const per = type === 'Dimension' ? perDppx[unit.toLowerCase()] : undefined;
  return per === undefined || Number(value) < 0 ? null : Number(value) / per;
}
