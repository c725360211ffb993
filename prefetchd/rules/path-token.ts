// Recognises a path segment that is an id or a token instead of words. Paths are judged more leniently than queries
// (opaque-text.ts), because most ids in paths name public pages: articles, products, films.
//
//   null      slugs, dates, numbers of any use (articles, ISBN, EAN, posts), words joined by capitals, other scripts
//   'short'   random letters and digits shorter than 20: the id of a film or the key of a shared link (dQw4w9WgXcQ),
//             which only its visitors can distinguish
//   'long'    20 or more of them (UUID, JWT, hash, key): a public page needs no id of this length
//
// Every step is linear in the segment.

import { changesOften, isUuid } from './opaque-text.ts';

export type PathToken = 'short' | 'long';

/** Length of a key that nobody can guess: 20 characters of base 32 have 100 bits. */
const unguessable = 20;
/** Limits above any number that names a thing (a post of X has 19 digits) and any word (German: 36 letters). */
const longestNumber = 20;
const longestWord = 40;

/** @param segment decoded */
export function tokenIn(segment: string): PathToken | null {
  if (isUuid(segment) || /^eyJ[\w-]{8,}\./.test(segment)) return 'long';
  const runs = segment.match(/[A-Za-z0-9]+/g) ?? [];
  const odd = runs.filter(isOdd);
  const oddLength = lengthOf(odd);
  const isScattered = odd.length > 2 && 2 * oddLength > segment.length;
  const tokens = runs.filter(isToken);
  if (tokens.length === 0 && !isScattered) return null;
  return Math.max(oddLength, lengthOf(tokens)) >= unguessable ? 'long' : 'short';
}

function lengthOf(runs: readonly string[]): number {
  return runs.reduce((sum, run) => sum + run.length, 0);
}

/** True if letters and digits are mixed, or capitals are inside: rare in words, common in parts of a token. */
function isOdd(run: string): boolean {
  return (/\d/.test(run) && /[A-Za-z]/.test(run)) || /[a-z][A-Z]|[A-Z]{2}[a-z]/.test(run);
}

function isToken(run: string): boolean {
  const digits = run.replace(/\D+/g, '').length;
  if (digits === run.length) return digits > longestNumber;
  if (digits === 0) return isRandomLetters(run);
  if (run.length >= 8 && /^[0-9a-f]+$/i.test(run)) return true;
  const changes = run.match(/[A-Za-z](?=\d)|\d(?=[A-Za-z])|[a-z](?=[A-Z])/g)?.length ?? 0;
  return changesOften(run, 6) || (run.length >= 16 && changes >= 4 && changes * 5 >= run.length);
}

function isRandomLetters(run: string): boolean {
  if (run.length < 8) return false;
  const vowels = run.replace(/[^aeiou]+/gi, '').length;
  if (vowels === 0 || run.length > longestWord) return true;
  if (changesOften(run, 8)) return vowels * 10 < run.length * 3;
  return run.length >= 16 && vowels * 4 < run.length;
}
