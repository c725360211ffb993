// Writes a URL so that an operator recognises the page and nobody a person: without its query, and from the first part
// on that is private (private-path.ts) or follows a word of the deny list, with `…`. /reset/8f3a becomes /reset/….

import { tokenIn } from './path-token.ts';
import { privatePart, segmentsOf } from './private-path.ts';
import { decoded, isDeniedPart } from './url-words.ts';

const mask = '…';
const longestShown = 200;

/** @param hidesNumbers also mask segments with a digit: the page may be one person's */
export function maskedUrl(url: string, hidesNumbers: boolean): string {
  const [start = '', scheme = '', host = ''] =
    /^(https?:\/\/)(?:[^/?#]*@)?([^/?#]*)/i.exec(url) ?? [];
  const rest = url.slice(start.length);
  const end = rest.search(/[?#]/);
  const path = decoded(end === -1 ? rest : rest.slice(0, end));
  const query = end === -1 ? '' : `?${mask}`;
  const shown = path === null ? [mask] : maskedSegments(path, hidesNumbers);
  return `${scheme}${host}/${shown.join('/')}`.slice(0, longestShown) + query;
}

function maskedSegments(path: string, hidesNumbers: boolean): string[] {
  const segments = segmentsOf(path);
  const found = privatePart(path, 'document');
  const denied = segments.findIndex((part) => isDeniedPart(part));
  const from = Math.min(
    found?.from ?? segments.length,
    denied === -1 ? segments.length : denied + 1,
  );
  const hides = hidesNumbers || (found !== null && found.reason !== 'unclear');
  const shown = segments
    .slice(0, from)
    .map((part) => (tokenIn(part) !== null || (hides && /\d/.test(part)) ? mask : part));
  const all = from < segments.length ? [...shown, mask] : shown;
  return all.filter((part, index) => part !== mask || all[index - 1] !== mask);
}
