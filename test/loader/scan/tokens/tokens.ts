// What our tokenizer and parse5's make of a document, in the same words. The consumer of both does what a tree builder
// does: it sets the content model after a start tag, and allows CDATA sections within <svg>.

import { decodeHTML } from 'entities/decode';
import { Tokenizer as Parse5Tokenizer, type Token, TokenizerMode } from 'parse5';
import { type ContentModel, contentModelOf } from '../../../../loader/scan/tokens/content-model.ts';
import { type TokenHandler, Tokenizer } from '../../../../loader/scan/tokens/tokenizer.ts';
import { Wanted, type WantedTags } from '../../../../loader/scan/tokens/wanted.ts';

export type Found =
  | { start: string; attributes: Record<string, string>; isSelfClosing: boolean; offset: number }
  | { end: string; offset: number }
  /** The text of a raw text element, all pieces of it. */
  | { text: string };

export interface Consumer {
  wanted: WantedTags;
  /** Tags that are wanted only where they have one of these attributes. */
  onlyWithAttributes?: WantedTags;
  /** Without them no CDATA section is allowed, since nobody learns where <svg> ends. */
  wantsEndTags: boolean;
}

const everything: Consumer = { wanted: { '*': ['*'] }, wantsEndTags: true };
const modes = {
  data: TokenizerMode.DATA,
  rcdata: TokenizerMode.RCDATA,
  rawtext: TokenizerMode.RAWTEXT,
  script: TokenizerMode.SCRIPT_DATA,
  plaintext: TokenizerMode.PLAINTEXT,
};

export function tokens(chunks: Iterable<string>, consumer = everything): Found[] {
  const { wanted, onlyWithAttributes, wantsEndTags } = consumer;
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
      if (name === 'svg' && wantsEndTags) tokenizer.isCdataAllowed = true;
      model = contentModelOf(name);
      if (model !== 'data') tokenizer.switchTo(model, true);
    },
    onText: (text) => addText(found, text),
  };
  if (wantsEndTags) {
    handler.onEndTag = (name, offset) => {
      flushed();
      if (name === 'svg') tokenizer.isCdataAllowed = false;
      found.push({ end: name, offset });
    };
  }
  const tokenizer = new Tokenizer(new Wanted(wanted, onlyWithAttributes), handler);
  for (const chunk of chunks) tokenizer.write(chunk);
  tokenizer.end();
  flushed();
  return found;
}

/** In one piece: it is the reference, not what is tried. */
export function referenceTokens(html: string, consumer = everything): Found[] {
  const { wantsEndTags } = consumer;
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
        if (tagName === 'svg' && wantsEndTags) tokenizer.inForeignNode = true;
        model = contentModelOf(tagName);
        if (model !== 'data') tokenizer.state = modes[model];
      },
      onEndTag({ tagName, location }) {
        model = 'data';
        if (tagName === 'svg') tokenizer.inForeignNode = false;
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
  tokenizer.write(html, true);
  return found.flatMap((each) => wantedPart(each, consumer));
}

function wantedPart(found: Found, consumer: Consumer): Found[] {
  const { wanted, onlyWithAttributes = {}, wantsEndTags } = consumer;
  if ('text' in found) return [found];
  if ('end' in found) {
    return wantsEndTags && ('*' in wanted || Object.hasOwn(wanted, found.end)) ? [found] : [];
  }
  const needsAttribute = Object.hasOwn(onlyWithAttributes, found.start);
  const tags = needsAttribute ? onlyWithAttributes : wanted;
  const names = Object.hasOwn(tags, found.start) ? tags[found.start] : wanted['*'];
  if (names === undefined) return [];
  const attributes = Object.entries(found.attributes).filter(
    ([name]) => names.includes('*') || names.includes(name),
  );
  if (needsAttribute && attributes.length === 0) return [];
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
