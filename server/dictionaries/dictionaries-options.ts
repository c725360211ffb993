// The options of shared dictionaries: which responses are kept, and how hard responses are compressed.

import { oneOf, wholeNumber } from '../../options/kinds.ts';
import { objectOf, option, type TableOf } from '../../options/options.ts';

export interface DictionariesOptions {
  /** Which pages a page is the dictionary of: those of its folder, or of the whole site. */
  match?: 'folder' | 'site';
  /** Total length of the responses that are kept as dictionaries, bytes. */
  maxBytes?: number;
  /** Most dictionaries that are kept. */
  maxDictionaries?: number;
  /** Smallest response that is kept or coded, bytes. */
  minResponseBytes?: number;
  /** Largest response that is kept or coded, bytes. */
  maxResponseBytes?: number;
  /** Level of Zstandard, 1 to 19. */
  level?: number;
}

export const dictionariesTable = {
  match: option(
    oneOf(['folder', 'site']),
    'folder',
    'Which pages a page is the dictionary of: `folder`: those of its folder and below; `site`: all. Style sheets and scripts likewise.',
  ),
  maxBytes: option(
    wholeNumber({ least: 1 }),
    16 * 1024 * 1024,
    'Responses kept as dictionaries, together, bytes; the least recently used is dropped first.',
  ),
  maxDictionaries: option(wholeNumber({ least: 1, most: 100_000 }), 1_000, 'Number of them.'),
  minResponseBytes: option(
    wholeNumber({}),
    512,
    'Smallest response that is kept or coded, decoded, bytes.',
  ),
  maxResponseBytes: option(
    // The window of a decoder is 8 MB, or 1.25 times the dictionary.
    wholeNumber({ most: 4 * 1024 * 1024 }),
    1024 * 1024,
    'Largest one, bytes.',
  ),
  level: option(
    wholeNumber({ least: 1, most: 19 }),
    6,
    'Level of Zstandard: a response is compressed each time it is sent.',
  ),
} satisfies TableOf<DictionariesOptions>;

export const dictionariesKind = objectOf(dictionariesTable);
