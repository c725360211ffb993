// Splits parts of a URL (a path segment, a query name or value) into words, in each spelling that a server could read:
// decoded, without accents, camelCase split or not. log-out, log_out, LogOut, logout.php and LoGoUt are all `logout`;
// numbers and ids are not words. Two words that are one in a list (`log out`) are joined, so the caller says which
// words are listed. Every step is linear in the part.

import { actionWords, placeWords, wholeWords } from './deny-words.ts';

export type IsListed = (word: string) => boolean;

const mostDecodings = 5;

/** Decodes until nothing changes; null if nested so deeply that it must be an attack. */
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
    // Invalid UTF-8: decode byte by byte, so that one broken escape hides nothing beside it.
    return run.replace(/%(..)/g, (_, hex: string) => {
      const byte = Number.parseInt(hex, 16);
      return byte < 0x80 ? String.fromCharCode(byte) : '\ufffd';
    });
  }
}

/** True if the default lists of deny-words.ts deny a part, as deny-list.ts explains. */
export function isDeniedPart(part: string): boolean {
  return spellings(part, isDefaultWord).some((words) => {
    const first = words[0] ?? '';
    const last = words.at(-1) ?? '';
    if (actionWords.has(first)) return true;
    if (words.length <= 3 && (actionWords.has(last) || placeWords.has(last))) return true;
    return words.length === 1 && wholeWords.has(first);
  });
}

export function isDefaultWord(word: string): boolean {
  return actionWords.has(word) || placeWords.has(word) || wholeWords.has(word);
}

/** The words of a part in each reading: with and without extension, with camelCase split or not. */
export function spellings(part: string, isListed: IsListed): string[][] {
  const bare = part.includes('.') ? part.replace(/\.[a-z0-9]{1,6}$/i, '') : part;
  const found: string[][] = [];
  for (const text of bare === part || bare === '' ? [part] : [bare, part]) {
    found.push(wordsOf(text, isListed));
    const camel = text.replace(/[a-z0-9](?=[A-Z])/g, '$& ');
    if (camel !== text) found.push(wordsOf(camel, isListed));
  }
  return found;
}

/** Lower case, without accents; two words that are one in the lists (`log out`) are joined. */
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

function rawWords(text: string): string[] {
  const isAscii = /^[\0-\x7f]*$/.test(text);
  if (isAscii) return text.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  const plain = text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase();
  return plain.match(/[\p{L}\p{N}]+/gu) ?? [];
}
