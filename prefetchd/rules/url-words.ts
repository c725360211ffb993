// Splits parts of a URL (a path segment, a query name or value) into words, in each spelling that a server could read:
// decoded, in the normal form, camelCase split or not. log-out, log_out, LogOut, logout.php and LoGoUt are all
// `logout`; numbers and ids are not words. Two words that are one word in a list (`log out`) are joined, so the caller
// says which words are listed. Every step is linear in the part.

import { formsOf, rawWords } from './word-forms.ts';
import { frames, type WordList, wordsByLanguage } from './words.ts';

export type IsListed = (word: string) => boolean;

const mostDecodings = 5;

/** Decodes percent-encoding until nothing changes; null if it is nested so deeply that it must be an attack. */
export function decoded(url: string): string | null {
  let text = url;
  for (let round = 0; round < mostDecodings; round++) {
    const next = text.replace(/(?:%[0-9a-f]{2})+/gi, decodedRun);
    if (next === text) return text;
    text = next;
  }
  return null;
}

function decodedRun(run: string): string {
  try {
    return decodeURIComponent(run);
  } catch {
    // Invalid UTF-8 is decoded byte by byte, so that one broken escape hides nothing beside it.
    return run.replace(/%(..)/g, (_, hex: string) => {
      const byte = Number.parseInt(hex, 16);
      return byte < 0x80 ? String.fromCharCode(byte) : '\ufffd';
    });
  }
}

/** Number of words in the longest phrase of words.ts. `mostBefore`: a listed word at the end of a path segment or
 *  parameter counts if at most this many other words are before it there. */
const longestPhrase = 6;
const mostBefore = 2;

/** Three lists of words, in small letters without accents, that deny a part of a URL (explained in words.ts). */
export type PartLists = Readonly<Record<'acts' | 'places' | 'alone', ReadonlySet<string>>>;

export function isDeniedPart(part: string, lists: PartLists = defaultLists): boolean {
  const { acts, places, alone } = lists;
  const isListed = (word: string) => acts.has(word) || places.has(word) || alone.has(word);
  return spellings(part, isListed).some((words) => {
    const own = withoutFrame(words);
    for (let count = Math.min(own.length, longestPhrase); count > 0; count--) {
      const before = own.length - count;
      const end = before > mostBefore ? '' : own.slice(before).join('');
      if (acts.has(end) || places.has(end) || (before === 0 && alone.has(end))) return true;
      if (acts.has(own.slice(0, count).join(''))) return true;
    }
    return false;
  });
}

function withoutFrame(words: string[]): string[] {
  const from = words.findIndex((word) => !frames.has(word));
  const last = words.findLastIndex((word) => !frames.has(word));
  return words.slice(Math.max(from, 0), last === -1 ? words.length : last + 1);
}

/** Returns the words of a part of a URL (a path segment, or a name or value of the query), once per way to split it:
 *  with and without a file extension, with camelCase split or not. */
export function spellings(part: string, isListed: IsListed): string[][] {
  const bare = part.includes('.') ? part.replace(/\.[a-z0-9]{1,6}$/i, '') : part;
  const found: string[][] = [];
  for (const text of bare === part || bare === '' ? [part] : [bare, part]) {
    found.push(wordsOf(text, isListed));
    if (text === text.toLowerCase()) continue;
    const camel = text.replace(/[\p{Ll}\d](?=\p{Lu})/gu, '$& ');
    if (camel !== text) found.push(wordsOf(camel, isListed));
  }
  return found;
}

/** Returns the words of a text without capitals and accents; two that the lists have as one (`log out`) are joined. */
export function wordsOf(text: string, isListed: IsListed): string[] {
  const words: string[] = [];
  for (const raw of rawWords(text)) {
    const word = isListed(raw) ? raw : raw.replace(/\d{1,3}$/, '');
    if (word === '' || (/\d/.test(raw) && !isListed(word))) continue;
    const pair = (words.at(-1) ?? '') + word;
    if (words.length > 0 && isListed(pair)) words[words.length - 1] = pair;
    else words.push(word);
  }
  return words;
}

const made = new Map<WordList, ReadonlySet<string>>();

/**
 * Returns the words of one list of words.ts, of all languages and in all spellings; the hyphens that join phrases are
 * removed. The set is made when first needed.
 */
export function listed(list: WordList): ReadonlySet<string> {
  const known = made.get(list);
  if (known !== undefined) return known;
  const words = new Set(phrasesOf(list).map((phrase) => phrase.replaceAll('-', '')));
  made.set(list, words);
  return words;
}

export function phrasesOf(list: WordList): string[] {
  const lists = Object.values(wordsByLanguage).map((words) => (words[list] ?? []).join(' '));
  return lists.flatMap((text) => (text.match(/\S+/g) ?? []).flatMap(formsOf));
}

/** The lists of words that deny a part of a URL, in whichever place of the URL it is. */
const defaultLists = {
  get acts() {
    return listed('acts');
  },
  get places() {
    return listed('places');
  },
  get alone() {
    return listed('alone');
  },
};
