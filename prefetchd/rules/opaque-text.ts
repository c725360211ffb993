// Recognises text that identifies a person or a permission instead of a page: tokens, session ids, signatures, e-mail
// addresses, telephone numbers. Titles, slugs, dates, colours and short ids are not opaque. A token is a run of letters
// and digits that is no word: letters and digits alternate too often, or it is too long, or it has too few vowels.
//
// In a query, doubtful text is opaque, because a page whose URL is mistaken for a token is merely not learned. Segments
// of a path are judged more leniently, because most ids in paths name public pages: articles, products, films.
// Every step is linear in the text.

/** Longest run of letters, and of letters mixed with digits, in a query that can be a word and not a random key. */
const longestQueryWord = 23;
const longestMixed = 15;
/** Largest number of digits in an id; a telephone number, a time in seconds or a card number has more. */
const mostDigits = 9;

/** Returns whether the text identifies a person or a permission. @param text decoded, without `+` for a space */
export function isOpaque(text: string): boolean {
  if (text.includes('@') || isUuid(text) || isPhoneLike(text)) return true;
  const runs = text.match(/[A-Za-z0-9]+/g) ?? [];
  return (
    runs.some(isQueryToken) ||
    runs.filter((run) => /\d/.test(run) && /[A-Za-z]/.test(run)).length > 2
  );
}

function isQueryToken(run: string): boolean {
  const digits = run.replace(/[^0-9]+/g, '').length;
  if (digits === run.length) return digits > mostDigits || (digits > 6 && run.startsWith('0'));
  if (run.length >= 8 && digits > 0 && /^[0-9a-f]+$/i.test(run)) return true;
  if (digits > 0) return run.length > longestMixed || changesOften(run, 6);
  if (run.length > longestQueryWord) return true;
  const vowels = run.replace(/[^aeiouy]+/gi, '').length;
  const isUnpronounceable = run.length >= 16 ? vowels * 10 < run.length * 3 : vowels === 0;
  return (run.length >= 8 && isUnpronounceable) || changesOften(run, 8);
}

/** Returns whether letters and digits, or small and capital letters, alternate more often than every fourth character.
 *  @param shortest a run with fewer characters than this never counts as alternating */
export function changesOften(run: string, shortest: number): boolean {
  const changes = run.match(/[A-Za-z](?=\d)|\d(?=[A-Za-z])|[a-z](?=[A-Z])/g)?.length ?? 0;
  return run.length >= shortest && changes >= 3 && changes * 4 > run.length;
}

export function isUuid(text: string): boolean {
  return /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/i.test(text);
}

function isPhoneLike(text: string): boolean {
  if (!/^[\d\s+().-]+$/.test(text)) return false;
  const digits = text.replace(/\D+/g, '').length;
  if (digits < 7) return false;
  const isDate = /^\d{4}-\d{1,2}(?:-\d{1,2})?$|^\d{1,2}[.-]\d{1,2}[.-]\d{4}$/.test(text);
  const isNumber = /^[1-9]\d{0,8}(?:\.\d{1,4})?$/.test(text);
  const isRange = /^[1-9]\d{0,5}-[1-9]\d{0,5}$/.test(text) && !/^\d{3}-\d{4}$/.test(text);
  return !isDate && !isNumber && !isRange;
}

/**
 * `short`: random letters and digits shorter than 20: the id of a film or the key of a shared link (dQw4w9WgXcQ), which
 * only visits can tell apart. `long`: 20 or more characters (UUID, JWT, hash, key): a public page
 * needs no id of this length.
 */
export type PathToken = 'short' | 'long';

/** Length of a key that nobody can guess: 20 characters of base 32 have 100 bits. */
const unguessable = 20;
/** Longest number that can be an id (a post of X has 19 digits), and longest word (German has 36 letters). */
const longestPathNumber = 20;
const longestPathWord = 40;

/** Returns the kind of random id or key (token) in a segment of a path; null for a slug, a date, a number (of an
 *  article, ISBN, EAN, post), words joined by capitals, and scripts other than Latin. @param segment decoded */
export function tokenIn(segment: string): PathToken | null {
  if (isUuid(segment) || /^eyJ[\w-]{8,}\./.test(segment)) return 'long';
  const runs = segment.match(/[A-Za-z0-9]+/g) ?? [];
  const odd = runs.filter(isOdd);
  const oddLength = lengthOf(odd);
  const isScattered = odd.length > 2 && 2 * oddLength > segment.length;
  const tokens = runs.filter(isPathToken);
  if (tokens.length === 0 && !isScattered) return null;
  return Math.max(oddLength, lengthOf(tokens)) >= unguessable ? 'long' : 'short';
}

function lengthOf(runs: readonly string[]): number {
  return runs.reduce((sum, run) => sum + run.length, 0);
}

/** Returns whether a run of letters and digits has both, or capitals inside, which is rare in words, not in tokens. */
function isOdd(run: string): boolean {
  return (/\d/.test(run) && /[A-Za-z]/.test(run)) || /[a-z][A-Z]|[A-Z]{2}[a-z]/.test(run);
}

function isPathToken(run: string): boolean {
  const digits = run.replace(/\D+/g, '').length;
  if (digits === run.length) return digits > longestPathNumber;
  if (digits === 0) return isRandomLetters(run);
  if (run.length >= 8 && /^[0-9a-f]+$/i.test(run)) return true;
  const changes = run.match(/[A-Za-z](?=\d)|\d(?=[A-Za-z])|[a-z](?=[A-Z])/g)?.length ?? 0;
  return changesOften(run, 6) || (run.length >= 16 && changes >= 4 && changes * 5 >= run.length);
}

function isRandomLetters(run: string): boolean {
  if (run.length < 8) return false;
  const vowels = run.replace(/[^aeiou]+/gi, '').length;
  if (vowels === 0 || run.length > longestPathWord) return true;
  if (changesOften(run, 8)) return vowels * 10 < run.length * 3;
  return run.length >= 16 && vowels * 4 < run.length;
}
