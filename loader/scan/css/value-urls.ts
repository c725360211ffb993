// The URLs of one value that a browser fetches, and the custom properties that it uses (CSS Images 4, CSS Variables 1).

import { isImageType } from '../html/image-types.ts';
import type { Screen } from '../style/environment.ts';
import {
  contentOfBlock,
  endOfBlock,
  splitAtCommas,
  type ValueToken,
  valueTokens,
  withoutSpaces,
} from './value-tokens.ts';

export interface ValueUrls {
  urls: string[];
  /** Names of custom properties, dashes included. */
  variables: string[];
  /** URLs that count only if this custom property is not set. */
  fallbacks: Array<{ variable: string; urls: string[] }>;
}

/** Functions that Chromium 156 does not know; a declaration with one of them is ignored. */
const unknown = new Set(['src', 'image', 'cross-fade', 'element', 'paint-image']);
const ofOthers = /^-(?:moz|ms|o)-/;
/** Groups of functions that are not URLs are passed through; deeper ones are not read. */
const deepest = 32;

/** @returns null: the value is invalid, so that its declaration does not count */
export function urlsOfValue(text: string, screen: Screen): ValueUrls | null {
  const tokens = valueTokens(text);
  const found: ValueUrls = { urls: [], variables: [], fallbacks: [] };
  return tokens !== null && read(tokens, screen, found, 0) ? found : null;
}

function read(
  tokens: readonly ValueToken[],
  screen: Screen,
  found: ValueUrls,
  depth: number,
): boolean {
  if (depth > deepest) return false;
  for (let index = 0; index < tokens.length; ) {
    const { type, value } = tokens[index++] as ValueToken;
    if (type === 'url') add(found, value);
    if (type === 'mark' && (value === '}' || value === '{')) return false;
    if (type === 'word' && ofOthers.test(value.toLowerCase())) return false;
    if (type !== 'function') continue;
    if (unknown.has(value) || ofOthers.test(value)) return false;
    const content = contentOfBlock(tokens, index);
    index = endOfBlock(tokens, index);
    if (value === 'url') {
      const [first, second] = withoutSpaces(content);
      if (first?.type !== 'string' || second !== undefined) return false;
      add(found, first.value);
    } else if (value === 'image-set' || value === '-webkit-image-set') {
      const chosen = imageOfSet(content, screen);
      if (chosen === null) return false;
      if (chosen !== '') add(found, chosen);
    } else if (value === 'var') {
      if (!variable(content, screen, found, depth)) return false;
    } else if (!read(content, screen, found, depth + 1)) {
      return false;
    }
  }
  return true;
}

/** data: URLs bring their content, and a fragment alone is in the document that is there. */
function add({ urls }: ValueUrls, url: string): void {
  const written = url.trim();
  if (written !== '' && !written.startsWith('#') && !/^data:/i.test(written)) urls.push(written);
}

function variable(content: ValueToken[], screen: Screen, found: ValueUrls, depth: number): boolean {
  const comma = content.findIndex(({ type, value }) => type === 'mark' && value === ',');
  const name = withoutSpaces(content)[0]?.value ?? '';
  if (!name.startsWith('--')) return false;
  found.variables.push(name);
  if (comma === -1) return true;
  const fallback: ValueUrls = { urls: [], variables: found.variables, fallbacks: found.fallbacks };
  if (!read(content.slice(comma + 1), screen, fallback, depth + 1)) return false;
  if (fallback.urls.length > 0) found.fallbacks.push({ variable: name, urls: fallback.urls });
  return true;
}

/**
 * The standard leaves the choice open (CSS Images 4, 2.4). Chromium 156 takes the smallest that is sharp on the screen,
 * or else the largest; of equal ones the first.
 * @returns '': none is of a type that is shown; null: it is invalid
 */
function imageOfSet(content: readonly ValueToken[], screen: Screen): string | null {
  const options: Array<{ url: string; density: number }> = [];
  for (const part of splitAtCommas(content)) {
    const option = optionOf(part);
    if (option === null) return null;
    if (option.isShown) options.push(option);
  }
  options.sort((one, other) => one.density - other.density);
  const sharp = options.find(({ density }) => density >= screen.dpr);
  return (sharp ?? options.find(({ density }) => density === options.at(-1)?.density))?.url ?? '';
}

const resolution = /^\+?(\d+(?:\.\d+)?|\.\d+)(x|dppx|dpi|dpcm)$/i;
const perDppx: Record<string, number> = { x: 1, dppx: 1, dpi: 96, dpcm: 96 / 2.54 };

function optionOf(
  part: readonly ValueToken[],
): { url: string; density: number; isShown: boolean } | null {
  const tokens = withoutSpaces(part);
  let url: string | null = null;
  let density = 1;
  let isShown = true;
  for (let index = 0; index < tokens.length; ) {
    const { type, value } = tokens[index++] as ValueToken;
    const content = type === 'function' ? contentOfBlock(tokens, index) : [];
    if (type === 'function') index = endOfBlock(tokens, index);
    if (type === 'url' || type === 'string') url = value;
    else if (type === 'function' && value === 'url') url = content[0]?.value ?? '';
    else if (type === 'function' && value === 'type') {
      isShown = isImageType((content[0]?.value ?? '').toLowerCase());
    } else if (type === 'function' && value === 'calc') {
      const computed = productOf(content);
      if (computed === null) return null;
      density = computed;
    } else if (type === 'function') {
      url = ''; // a gradient
    } else {
      const [, number, unit = ''] = resolution.exec(value) ?? [];
      if (number === undefined) return null;
      density = Number(number) / (perDppx[unit.toLowerCase()] ?? 1);
    }
  }
  return url === null ? null : { url, density, isShown };
}

/** Of calc() only products are read, such as `2 * 1x`. */
function productOf(tokens: readonly ValueToken[]): number | null {
  let product = 1;
  for (const { type, value } of tokens) {
    if (type === 'mark' && value === '*') continue;
    const [, number, unit] = /^([\d.]+)(x|dppx|dpi|dpcm)?$/i.exec(value) ?? [];
    if (number === undefined) return null;
    product *= Number(number) / (perDppx[unit?.toLowerCase() ?? ''] ?? 1);
  }
  return product;
}
