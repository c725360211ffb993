// Finds, in the value of a property, the URLs that a browser fetches (CSS Images 4), and puts custom properties in place
// of var() (CSS Variables 1).

import { best, isImageType } from '../images/selection.ts';
import {
  type CssNode,
  childrenOf,
  nameOf,
  partsOf,
  splitAtCommas,
  urlOf,
  valuesOf,
  wordOf,
} from '../style/css-tree.ts';
import type { Screen } from '../style/environment.ts';
import { quantityOf } from '../style/quantity.ts';

/** Matches text in a value that may refer to a resource; with an escape in its name, any function may. */
const mayRefer = /url\(|image-set\(|src\(|-(?:moz|ms|o)-|\\.*\(/is;
/** Matches the words and functions that Chromium 156 does not know; a declaration with one of them is ignored. For
 *  css-tree, `url(...)` is only a function if its name has an escape. */
const unknown = /^(?:-(?:moz|ms|o)-.*|(?:src|url|image|cross-fade|element|paint-image)\()$/;

/** Finds the URLs in a value. @returns null if the value is invalid, so that its declaration is ignored */
export function urlsOfValue(text: string, screen: Screen): string[] | null {
  const urls: string[] = [];
  if (!mayRefer.test(text)) return urls;
  return valuesOf(text)?.every((node) => read(node, screen, urls)) ? urls : null;
}

function read(node: CssNode, screen: Screen, urls: string[]): boolean {
  const children = childrenOf(node);
  const isFunction = node.type === 'Function';
  const name = isFunction || node.type === 'Identifier' ? nameOf(node.name) : '';
  if (unknown.test(isFunction ? `${name}(` : name)) return false;
  const isSet = isFunction && /^(?:-webkit-)?image-set$/.test(name);
  const url = isSet ? imageOfSet(children, screen) : urlOf(node);
  // A data: URL contains its content, and a mere fragment refers to the same document.
  if (url !== null && !/^(?:$|#|data:)/i.test(url)) urls.push(url);
  return isSet ? url !== null : children.every((each) => read(each, screen, urls));
}

/** Matches a value whose URLs depend on the element. */
export const hasVariable = /var\(/i;
/** Deepest chain of custom properties, each naming the next in var(), that is followed. */
const deepest = 8;
/** Longest value with var() replaced, in characters; a longer one is ignored. */
const longest = 4_096;

/** Returns the value of a custom property; null: it is not set. */
type Variables = (name: string) => string | null;

/** Returns the value with custom properties in place of var(); '' if that is too long. */
export function substituted(value: string, variables: Variables): string {
  let whole = value;
  for (let depth = 0; depth < deepest && whole.length <= longest; depth++)
    whole = replaced(whole, variables);
  return whole.length > longest ? '' : whole;
}

function replaced(text: string, variables: Variables): string {
  if (!hasVariable.test(text)) return text;
  const parts = partsOf(text).map((part) => {
    const [, name = '', inside = ''] = /^([-\w]*\()(.*?)\)?$/s.exec(part) ?? [];
    if (name === '') return part;
    if (!/^var\($/i.test(name)) return `${name}${replaced(inside, variables)})`;
    const [, property = '', fallback = ''] = /^\s*([^\s,]+)\s*(?:,(.*))?$/s.exec(inside) ?? [];
    return variables(nameOf(property)) ?? fallback;
  });
  return parts.join('');
}

/**
 * Chooses an image of image-set(). The standard leaves the choice open (CSS Images 4, 2.4). Chromium 156 takes the
 * image of the lowest resolution that is sharp on the screen or, if none is, of the highest; of images with equal
 * resolution it takes the first.
 * @returns '' if no image is of a supported type; null if the image-set() is invalid
 */
function imageOfSet(children: readonly CssNode[], screen: Screen): string | null {
  const all = splitAtCommas(children).map((part) => optionOf(part, screen));
  const options = all.filter((option) => option !== null);
  if (options.length < all.length) return null;
  const shown = options.filter(({ isShown }) => isShown);
  return best(shown, screen.dpr)?.url ?? '';
}

function optionOf(part: readonly CssNode[], screen: Screen) {
  let url: string | null = null;
  let density = 1;
  let isShown = true;
  for (const node of part) {
    const resolution = quantityOf(node, screen);
    const isFunction = node.type === 'Function';
    if (node.type === 'String' || node.type === 'Url') url = node.value.trim();
    else if (wordOf(node) === 'type') isShown = isImageType(wordOf(childrenOf(node)[0]));
    else if (resolution >= 0) density = resolution;
    else if (isFunction && Number.isNaN(resolution))
      url ??= ''; // the function is a gradient, which has no URL
    else return null;
  }
  return url === null ? null : { url, density, isShown };
}
