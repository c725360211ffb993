// Defines option kinds shared by the service, its files and its commands.

import { prefixPattern } from '../../http/forwarded.ts';
import { wholeNumber } from '../../options/kinds.ts';

export const connectionsKind = wholeNumber({ least: 1, most: 1_000_000 });

export const tokenRule = {
  rule: '16 to 512 printable ASCII characters without a space',
  pattern: /^[\x21-\x7e]{16,512}$/,
  isSecret: true,
};

/** The rule for a token in a flag or a setting: the token, or `@FILE` for a file that contains it. */
export const tokenOrFileRule = {
  rule: `${tokenRule.rule}, or @ and the path of a file that contains them`,
  pattern: /^(?:@.+|[\x21-\x7e]{16,512})$/s,
  isSecret: true,
};

/** The rule for a path prefix below which visitors see a site. */
export const prefixRule = {
  rule: 'a path that begins and does not end with /',
  pattern: prefixPattern,
};
