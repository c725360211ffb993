// Spans of a style sheet that the regular expression engine reads in one step: what nobody wants, and text without
// surprises. The expressions are sticky and have one way to match, so that a failure takes linear time. They stop at
// whatever else there is: comments, escapes, deep parentheses, and what goes on in the next chunk. That is read
// character by character (css-block-reader.ts).

import { wantedProperties } from './properties.ts';

const space = '[ \\t\\n\\f\\r]';
/** More in one piece is read character by character: the engine's stack grows with each. */
const few = '{0,16}';
/** Pieces that are passed over in one step, for the same reason. */
const many = '{0,64}';
/** A slash may begin a comment. */
const plain = `[^;{}()[\\]"'\\\\/]*(?:/(?=[^*])[^;{}()[\\]"'\\\\/]*)${few}`;
/** rgb(var(--a), 50%) is as deep as most values go. */
const group = `\\(${plain}(?:\\(${plain}\\)${plain})${few}\\)`;
const value = `${plain}(?:${group}${plain})${few}`;
const string = `"[^"\\\\\\n\\r\\f]*"|'[^'\\\\\\n\\r\\f]*'`;
const attribute = `\\[${plain}(?:(?:${string})${plain})?\\]`;
/** No at-rule, and no custom property, which may have a block, too. */
const prelude = `${space}*(?!${space}|@|--)${plain}(?:(?:${group}|${attribute})${plain})${few}`;

const isOther = `(?!(?:${wantedProperties.join('|')})[^-a-z])`;
/** Old sheets have names with a mark before that only Internet Explorer reads. */
const property = `(?:[*_]|${isOther})-?[a-z][-a-z]*`;
const declaration = `${space}*${property}${space}*:${value}(?:;|(?=\\}))`;

const declarations = new RegExp(`(?:${declaration})${many}`, 'y');
const rules = new RegExp(`(?:${prelude}\\{(?:${declaration})${many}${space}*\\})${many}`, 'y');

/** @returns Index after the declarations from there on that nobody wants. There may be none. */
export const unwantedDeclarationsEnd = (text: string, from: number): number =>
  endOf(declarations, text, from);

/** @returns Index after the rules from there on that have no other declarations. There may be none. */
export const unwantedRulesEnd = (text: string, from: number): number => endOf(rules, text, from);

/** Of data: URLs only the scheme is kept (css-block-reader.ts), so they are not passed over. */
const simpleString =
  '(?!.data:)(?:' +
  `"[^"\\\\\\n\\r\\f]*(?:\\\\[^\\n\\r\\f][^"\\\\\\n\\r\\f]*)${few}"` +
  `|'[^'\\\\\\n\\r\\f]*(?:\\\\[^\\n\\r\\f][^'\\\\\\n\\r\\f]*)${few}')`;
const simple = new RegExp(`${plain}(?:(?:(?<!url)${group}|${simpleString})${plain})${few}`, 'iy');

/** @returns Index after the text, strings and parentheses at the start of a piece that are complete in this chunk. */
export const simpleTextEnd = (text: string, from: number): number => endOf(simple, text, from);

/** @param expression sticky; it matches, if only the empty text */
function endOf(expression: RegExp, text: string, from: number): number {
  expression.lastIndex = from;
  expression.test(text);
  return expression.lastIndex;
}
