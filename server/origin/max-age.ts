// The option `maxAgeSeconds` of createOrigin and staticFiles, in a file of its own: the help of the command needs no more.

import { wholeNumber } from '../../options/kinds.ts';
import { optionWithoutDefault } from '../../options/options.ts';

export const maxAgeOption = optionWithoutDefault(
  // Caches treat larger values as 2^31 (RFC 9111 1.2.2).
  wholeNumber({ most: 2 ** 31 }),
  { flag: '--max-age <seconds>', help: 'Cache-Control: max-age of all files' },
);
