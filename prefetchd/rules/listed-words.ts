// The lists of words.ts in all their spellings, made when first needed.

import { formsOf } from './word-forms.ts';
import { type WordList, wordsByLanguage } from './words.ts';

const made = new Map<WordList, ReadonlySet<string>>();

/** Phrases without their hyphens. */
export function listed(list: WordList): ReadonlySet<string> {
  const known = made.get(list);
  if (known !== undefined) return known;
  const words = new Set(phrasesOf(list).map((phrase) => phrase.replaceAll('-', '')));
  made.set(list, words);
  return words;
}

export function phrasesOf(list: WordList): string[] {
  const lists = Object.values(wordsByLanguage).map((words) => words[list] ?? '');
  return lists.flatMap((text) => (text.match(/\S+/g) ?? []).flatMap(formsOf));
}

/** What denies a part of a URL wherever it stands. */
export const defaultLists = {
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
