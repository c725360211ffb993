// The options of shared dictionaries: which responses are kept, and how hard responses are compressed.

import { oneOf } from '../../options/kinds.ts';
import { type OptionsOf, objectOf, option } from '../../options/options.ts';

export const dictionariesTable = {
  /**
   * Which pages a page is the dictionary of: `folder`: those of its folder and below; `site`: all. Style sheets and
   * scripts likewise.
   */
  match: option(oneOf(['folder', 'site']), 'folder'),
};

export type DictionariesOptions = OptionsOf<typeof dictionariesTable>;

/** What no site needs to set; tests do (`withConstants`). */
export const dictionariesConstants = {
  /** Responses kept as dictionaries, together, bytes, and their number; the least recently used is dropped first. */
  maxBytes: 16 * 1024 * 1024,
  maxDictionaries: 1_000,
  /** Smallest and largest response that is kept or coded, decoded, bytes. */
  minResponseBytes: 512,
  maxResponseBytes: 1024 * 1024,
  /** Level of Zstandard: a response is compressed each time it is sent. */
  level: 6,
};

export const dictionariesKind = objectOf(dictionariesTable);
