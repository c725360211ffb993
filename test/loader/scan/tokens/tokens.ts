// What our tokenizer and parse5's make of a document, in the same words. The consumer of both does what a tree builder
// does: it sets the content model after a start tag. CDATA sections are allowed everywhere, since htmlparser2 reads them
// everywhere (HTML 13.2.5.42 has them in foreign content alone).

import { decodeHTML } from 'entities/decode';
import { Tokenizer as Parse5Tokenizer, type Token, TokenizerMode } from 'parse5';
import { type ContentModel, contentModelOf } from '../../../../loader/scan/tokens/content-model.ts';
import { type TokenHandler, Tokenizer } from '../../../../loader/scan/tokens/tokenizer.ts';

export type Found =
  | { start: string; attributes: Record<string, string>; isSelfClosing: boolean; offset: number }
  | { end: string; offset: number }
  /** The text of a raw text element, all pieces of it. */
  | { text: string };

export interface Consumer {
  /** Attributes; null: all. */
  wanted: ReadonlySet<string> | null;
  wantsEndTags: boolean;
}

const everything: Consumer = { wanted: null, wantsEndTags: true };
const modes = {
  data: TokenizerMode.DATA,
  rcdata: TokenizerMode.RCDATA,
  rawtext: TokenizerMode.RAWTEXT,
  script: TokenizerMode.SCRIPT_DATA,
  plaintext: TokenizerMode.PLAINTEXT,
};

export function tokens(chunks: Iterable<string>, consumer = everything): Found[] {
  const { wanted, wantsEndTags } = consumer;
  const found: Found[] = [];
  let model: ContentModel = 'data';
  const flushed = (): void => {
    const last = found.at(-1);
    // Character references are left to the consumer, who has the whole text.
    if (model === 'rcdata' && last && 'text' in last) last.text = decodeHTML(last.text);
    model = 'data';
  };
  const handler: TokenHandler = {
    onStartTag({ name, attributes, isSelfClosing, offset }) {
      flushed();
      found.push({ start: name, attributes: plain(attributes), isSelfClosing, offset });
      model = contentModelOf(name);
      if (model !== 'data') tokenizer.switchTo(model, true);
    },
    onText: (text) => addText(found, text),
  };
  if (wantsEndTags) {
    handler.onEndTag = (name, offset) => {
      flushed();
      found.push({ end: name, offset });
    };
  }
  const tokenizer = new Tokenizer(handler, { attributes: wanted });
  tokenizer.isCdataAllowed = true;
  for (const chunk of chunks) tokenizer.write(chunk);
  tokenizer.end();
  flushed();
  return found;
}

/** A quotation mark in an end tag: htmlparser2 ends the tag at the first `>`, also at a quoted one. */
export const hasQuotedEndTag = (html: string): boolean => /<\/[a-z][^>]*["'][^>]*>/i.test(html);

/** In one piece: it is the reference, not what is tried. */
export function referenceTokens(html: string, consumer = everything): Found[] {
  const found: Found[] = [];
  let model: ContentModel = 'data';
  const onCharacter = ({ chars }: Token.CharacterToken): void => {
    if (model !== 'data') addText(found, chars);
  };
  const tokenizer = new Parse5Tokenizer(
    { sourceCodeLocationInfo: true },
    {
      onStartTag({ tagName, attrs, selfClosing, location }) {
        const attributes = plain(attrs.map(({ name, value }) => [name, value]));
        const offset = location?.startOffset ?? -1;
        found.push({ start: tagName, attributes, isSelfClosing: selfClosing, offset });
        model = contentModelOf(tagName);
        if (model !== 'data') tokenizer.state = modes[model];
      },
      onEndTag({ tagName, location }) {
        model = 'data';
        found.push({ end: tagName, offset: location?.startOffset ?? -1 });
      },
      onCharacter,
      onNullCharacter: onCharacter,
      onWhitespaceCharacter: onCharacter,
      onComment() {},
      onDoctype() {},
      onEof() {},
    },
  );
  tokenizer.inForeignNode = true;
  tokenizer.write(html, true);
  return found.flatMap((each) => wantedPart(each, consumer));
}

function wantedPart(found: Found, { wanted, wantsEndTags }: Consumer): Found[] {
  if ('text' in found) return [found];
  if ('end' in found) return wantsEndTags ? [found] : [];
  const attributes = Object.entries(found.attributes).filter(([name]) => wanted?.has(name) ?? true);
  return [{ ...found, attributes: plain(attributes) }];
}

function addText(found: Found[], text: string): void {
  const last = found.at(-1);
  if (last && 'text' in last) last.text += text;
  else found.push({ text });
}

function plain(attributes: Iterable<[string, string]>): Record<string, string> {
  return Object.fromEntries(attributes);
}
