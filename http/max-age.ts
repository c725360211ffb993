// Cache-Control as directives (RFC 9111 5.2): names in any case, arguments as token or quoted string, so
// that `private` inside the quotes of another directive is none, and `private="x-field"` is one. In doubt
// restrictive: of a field whose quotes never close, the rest counts as directives too.

import { endOfMember, type FieldValue, fieldValue, readQuotedString } from './quoted-string.ts';

const longestField = 4096;

/** Names in lower case. A longer field than 4,096 characters answers `no-store`: nobody means it well. */
export function cacheDirectives(field: FieldValue): Set<string> {
  const text = fieldValue(field);
  if (text.length > longestField) return new Set(['no-store']);
  const names = new Set<string>();
  for (let at = 0; at < text.length; at++) {
    const end = endOfMember(text, at);
    const member = text.slice(at, end);
    const name = /^\s*([^\s=,;"]+)/.exec(member)?.[1];
    if (name !== undefined) names.add(name.toLowerCase());
    for (const word of afterOpenQuote(member)) names.add(word);
    at = end;
  }
  return names;
}

/** The words after a quote that never closes. */
function afterOpenQuote(member: string): string[] {
  let quote = member.indexOf('"');
  while (quote !== -1) {
    const { end, closed } = readQuotedString(member, quote);
    if (!closed)
      return (
        member
          .slice(quote)
          .toLowerCase()
          .match(/[a-z-]+/g) ?? []
      );
    quote = member.indexOf('"', end);
  }
  return [];
}
