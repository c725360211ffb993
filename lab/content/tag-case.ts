// A page with its tags in other cases: names of elements and attributes, which HTML compares without regard to case.
// Values, text, comments and scripts stay as they are.

import { randomOf } from '../prefetchd/random.ts';

/** A comment, a script with its content, or a tag. */
const piece =
  /<!--[\s\S]*?-->|(<script\b)([^>]*)(>)([\s\S]*?)(<\/script>)|<\/?[a-z][a-z0-9]*(?:\s+[a-z-]+(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s>]+))?)*\s*>/gi;
/** In a tag: an element's or attribute's name, or a value to be left alone. */
const nameOrValue = /=\s*(?:"[^"]*"|'[^']*'|[^\s>]+)|[a-z][a-z0-9-]*/gi;

type InCase = (name: string) => string;

const inTag = (tag: string, inCase: InCase): string =>
  tag.replace(nameOrValue, (match) => (match.startsWith('=') ? match : inCase(match)));

function withTags(html: string, inCase: InCase): string {
  return html.replace(piece, (match, open, attributes, end, script, close) => {
    if (match.startsWith('<!--')) return match;
    if (open === undefined) return inTag(match, inCase);
    return inTag(`${open}${attributes}${end}`, inCase) + script + inTag(close, inCase);
  });
}

const lower: InCase = (name) => name.toLowerCase();
const upper: InCase = (name) => name.toUpperCase();
const capitalised: InCase = (name) => name[0]?.toUpperCase() + name.slice(1).toLowerCase();

export interface CaseVariant {
  name: string;
  html: string;
}

/** The same bytes each time: chance comes from a seed. */
export function tagCases(html: string): CaseVariant[] {
  const random = randomOf(1997);
  const pick = <T>(choices: readonly T[]): T => choices[Math.floor(random() * choices.length)] as T;
  return [
    { name: 'lower case', html: withTags(html, lower) },
    { name: 'as it is', html },
    { name: 'upper case', html: withTags(html, upper) },
    {
      name: 'mixed: each name upper or lower',
      html: withTags(html, (name) => pick([lower, upper])(name)),
    },
    {
      name: 'mixed: each name upper, lower or capitalised',
      html: withTags(html, (name) => pick([lower, upper, capitalised])(name)),
    },
    {
      name: 'mixed: each letter upper or lower',
      html: withTags(html, (name) =>
        [...name].map((letter) => pick([lower, upper])(letter)).join(''),
      ),
    },
  ];
}
