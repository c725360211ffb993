// Finds, in the value of a property, the URLs that a browser fetches and the custom properties that var() names (CSS
// Images 4, CSS Variables 1).

import { best, isImageType } from '../images/selection.ts';
import {
  type CssNode,
  childrenOf,
  nameOf,
  splitAtCommas,
  urlOf,
  valuesOf,
  wordOf,
} from '../style/css-tree.ts';
import type { Screen } from '../style/environment.ts';
import { quantityOf } from '../style/quantity.ts';

export interface ValueUrls {
  readonly urls: string[];
  /** The uses of `var()`: the name of a custom property, and the URLs of the fallback, which apply if it is not set. */
  readonly uses: Array<{ readonly name: string; readonly fallback: ValueUrls }>;
}

/** Matches text in a value that may refer to a resource; with an escape in its name, any function may. */
const mayRefer = /url\(|image-set\(|var\(|src\(|-(?:moz|ms|o)-|\\.*\(/is;
/** Matches the words and functions that Chromium 156 does not know; a declaration with one of them is ignored. For
 *  css-tree, `url(...)` is only a function if its name has an escape. */
const unknown = /^(?:-(?:moz|ms|o)-.*|(?:src|url|image|cross-fade|element|paint-image)\()$/;

/** Limit on the URLs of a value. */
const mostUrls = 1000;

/** Finds the URLs in a value. @returns null if the value is invalid, so that its declaration is ignored */
export function urlsOfValue(text: string, screen: Screen): ValueUrls | null {
  const found: ValueUrls = { urls: [], uses: [] };
  if (!mayRefer.test(text)) return found;
  return valuesOf(text)?.every((node) => read(node, screen, found)) ? found : null;
}

/** Returns all URLs of a value, those of fallbacks included. */
export const allUrls = ({ urls, uses }: ValueUrls): string[] => [
  ...urls,
  ...uses.flatMap(({ fallback }) => allUrls(fallback)),
];

function read(node: CssNode, screen: Screen, found: ValueUrls): boolean {
  const children = childrenOf(node);
  const isFunction = node.type === 'Function';
  const name = isFunction || node.type === 'Identifier' ? nameOf(node.name) : '';
  if (unknown.test(isFunction ? `${name}(` : name)) return false;
  if (isFunction && name === 'var') {
    const [property, , fallback] = children;
    const use = { name: wordOf(property), fallback: { urls: [], uses: [] } };
    found.uses.push(use);
    return childrenOf(fallback ?? null).every((each) => read(each, screen, use.fallback));
  }
  const isSet = isFunction && /^(?:-webkit-)?image-set$/.test(name);
  const url = isSet ? imageOfSet(children, screen) : urlOf(node);
  // A data: URL contains its content, and a mere fragment refers to the same document.
  if (url !== null && found.urls.length < mostUrls && !/^(?:$|#|data:)/i.test(url))
    found.urls.push(url);
  return isSet ? url !== null : children.every((each) => read(each, screen, found));
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
