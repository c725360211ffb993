// What our tokenizer and parse5's make of a document, in the same words. The consumer of parse5's does what a tree builder
// does: it sets the content model after a start tag.

import { Tokenizer as Parse5Tokenizer, type Token, TokenizerMode } from 'parse5';
import { Tokenizer } from '../../../../loader/scan/tokenizer.ts';

export type Found =
  | { start: string; attributes: Record<string, string>; isSelfClosing: boolean; offset: number }
  | { end: string }
  | { text: string };

const { RCDATA, RAWTEXT, SCRIPT_DATA, PLAINTEXT } = TokenizerMode;
const modes: Record<string, Parse5Tokenizer['state']> = {
  ...{ title: RCDATA, textarea: RCDATA, script: SCRIPT_DATA, plaintext: PLAINTEXT },
  ...{ style: RAWTEXT, xmp: RAWTEXT, iframe: RAWTEXT, noembed: RAWTEXT, noframes: RAWTEXT },
};

export function tokens(chunks: Iterable<string>): Found[] {
  const found: Found[] = [];
  const tokenizer = new Tokenizer({
    onStartTag({ name, attributes, isSelfClosing, offset }) {
      const entries = [...attributes].map((pair) => pair.map(normalised) as [string, string]);
      found.push({
        ...{ start: normalised(name), attributes: firstOf(entries), isSelfClosing, offset },
      });
    },
    onEndTag: (name) => found.push({ end: normalised(name) }),
    onText: (text) => addText(found, text),
  });
  for (const chunk of chunks) tokenizer.write(chunk);
  tokenizer.end();
  return found.map((each) => ('text' in each ? { text: normalised(each.text) } : each));
}

/** What the tokenizer does not do: CR and CR LF mean LF, NUL is replaced (HTML 13.2.3.5, 13.2.5). */
const normalised = (text: string): string =>
  text.replace(/[\r\n]+/g, '\n').replaceAll('\0', '\ufffd');

/**
 * Markup that htmlparser2 reads in another way: an end tag with a quotation mark, text or a tag cut off at the end, a
 * CDATA section outside foreign content, a comment in a script, and a character reference behind `<` in a title.
 */
export const isReadOtherwise = (html: string): boolean =>
  /<\/[a-z][^>]*["'][^>]*>|<[^>]*$|\/\s*$|<!\[cdata\[|<script[\s\S]*<!--|<(?:title|textarea)[\s\S]*&/i.test(
    html,
  );

/** In one piece: it is the reference, not what is tried. */
export function referenceTokens(html: string): Found[] {
  const found: Found[] = [];
  const onCharacter = ({ chars }: Token.CharacterToken): void => addText(found, chars);
  const tokenizer = new Parse5Tokenizer(
    { sourceCodeLocationInfo: true },
    {
      onStartTag({ tagName, attrs, selfClosing, location }) {
        const attributes = firstOf(attrs.map(({ name, value }) => [name, normalised(value)]));
        const offset = location?.startOffset ?? -1;
        found.push({ start: tagName, attributes, isSelfClosing: selfClosing, offset });
        tokenizer.state = modes[tagName] ?? tokenizer.state;
      },
      onEndTag: ({ tagName }) => found.push({ end: tagName }),
      onCharacter,
      onNullCharacter: onCharacter,
      onWhitespaceCharacter: onCharacter,
      onComment() {},
      onDoctype() {},
      onEof() {},
    },
  );
  tokenizer.write(html, true);
  return found.map((each) => ('text' in each ? { text: normalised(each.text) } : each));
}

function addText(found: Found[], text: string): void {
  const last = found.at(-1);
  if (last && 'text' in last) last.text += text;
  else if (text !== '') found.push({ text });
}

const firstOf = (attributes: Array<[string, string]>): Record<string, string> =>
  Object.fromEntries(attributes.toReversed());
