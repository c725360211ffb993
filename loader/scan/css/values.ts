// Finds the URLs in a value that a browser fetches, and the custom properties (CSS Images 4, CSS Variables 1).

import { best, isImageType } from '../images/selection.ts';
import { splitAtCommas, urlOf, type Value, valuesOf } from '../style/component-values.ts';
import type { Screen } from '../style/environment.ts';
import { quantityOf } from '../style/quantity.ts';

export interface ValueUrls {
  readonly urls: string[];
  readonly uses: VariableUse[];
}

/** One use of `var()`. */
export interface VariableUse {
  /** Name of the custom property, with its two dashes. */
  readonly name: string;
  /** What the fallback refers to, which counts if the custom property is not set. */
  readonly fallback: ValueUrls;
}

/** Text that makes a value worth parsing; an escape in the name of a function does so, too. */
const refersPlainly = /url\(|image-set\(|var\(|src\(|-(?:moz|ms|o)-/i;
const mayRefer = (value: string): boolean =>
  refersPlainly.test(value) || (value.includes('\\') && value.includes('('));
const nothing: ValueUrls = { urls: [], uses: [] };

/** Functions that Chromium 156 does not know; a declaration with one of them is ignored. */
const unknown = /^(?:src|image|cross-fade|element|paint-image|-(?:moz|ms|o)-.*)$/i;

/** @returns null if the value is invalid, so that its declaration does not count */
export function urlsOfValue(text: string, screen: Screen): ValueUrls | null {
  if (!mayRefer(text)) return nothing;
  const nodes = valuesOf(text);
  const found: ValueUrls = { urls: [], uses: [] };
  return nodes?.every((node) => read(node, screen, found)) ? found : null;
}

function read(node: Value, screen: Screen, found: ValueUrls): boolean {
  const { type, text, content } = node;
  const url = urlOf(node);
  if (url !== null) add(found, url);
  if (type === 'word') return !/^-(?:moz|ms|o)-/i.test(text);
  const name = type === 'function' ? text : '';
  if (name === 'url') return url !== null;
  if (unknown.test(name)) return false;
  if (name === 'var') return readVariable(content, screen, found);
  if (name !== 'image-set' && name !== '-webkit-image-set') {
    return content.every((each) => read(each, screen, found));
  }
  const chosen = imageOfSet(content, screen);
  if (chosen !== null) add(found, chosen);
  return chosen !== null;
}

/** Adds a URL that needs a request: data: URLs contain their content, and a mere fragment is in the same document. */
function add({ urls }: ValueUrls, url: string): void {
  const written = url.trim();
  if (written !== '' && !written.startsWith('#') && !/^data:/i.test(written)) urls.push(written);
}

function readVariable(
  [first, ...rest]: readonly Value[],
  screen: Screen,
  { uses }: ValueUrls,
): boolean {
  if (!first?.text.startsWith('--')) return false;
  const fallback: ValueUrls = { urls: [], uses: [] };
  uses.push({ name: first.text, fallback });
  return rest.every((node) => read(node, screen, fallback));
}

/**
 * Chooses an image of image-set(). The standard leaves the choice open (CSS Images 4, 2.4). Chromium 156 takes the one
 * of the lowest resolution that is sharp on the screen, or else of the highest one; of images with equal resolution it
 * takes the first.
 * @returns '' if no image is of a supported type; null if the image-set() is invalid
 */
function imageOfSet(content: readonly Value[], screen: Screen): string | null {
  const all = splitAtCommas(content).map((part) => optionOf(part, screen));
  const options = all.filter((option) => option !== null);
  if (options.length < all.length) return null;
  const shown = options.filter(({ isShown }) => isShown);
  return best(shown, screen.dpr)?.url ?? '';
}

function optionOf(part: readonly Value[], screen: Screen) {
  let url: string | null = null;
  let density = 1;
  let isShown = true;
  for (const value of part) {
    const { type, text, content } = value;
    const resolution = quantityOf(value, screen);
    const named = type === 'string' ? text : urlOf(value);
    if (named !== null) url = named;
    else if (text === 'type') isShown = isImageType(content[0]?.text.toLowerCase() ?? '');
    else if (resolution?.type === 'resolution' && resolution.value >= 0) density = resolution.value;
    else if (type === 'function' && resolution === null)
      url ??= ''; // a gradient
    else return null;
  }
  return url === null ? null : { url, density, isShown };
}
