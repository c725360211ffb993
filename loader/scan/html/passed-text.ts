// What a document had before the first style sheet of its page. Until there is one, nobody asks which elements it has,
// so that tags which refer to nothing are passed over, a quarter of the time for a page of 1997. With the first sheet,
// which may come from a header at any time, they are read once more: what is found must not depend on when it came.

import type { CharacterSet } from '../css/character-set.ts';
import type { ShownElement } from '../css/shown-elements.ts';
import { contentModelOf } from '../tokens/content-model.ts';
import { Tokenizer } from '../tokens/tokenizer.ts';
import { OpenElements } from './open-elements.ts';
import { type OpenPath, styleThatMatters } from './open-path.ts';
import { wantedWithStyle } from './rules.ts';

/** In characters. What is behind is not kept. */
const longest = 4 * 1024 * 1024;

export class PassedText {
  readonly #pieces: string[] = [];
  #length = 0;

  add(text: string): void {
    if (this.#length >= longest) return;
    this.#pieces.push(text);
    this.#length += text.length;
  }

  /**
   * Shows what is before a tag.
   * @param end Offset of the tag, in characters
   * @param scripting noscript is raw text
   * @param onShown Called for elements with a style attribute that matters
   */
  showUpTo(
    end: number,
    path: OpenPath,
    { scripting }: { scripting: boolean },
    characters: CharacterSet,
    onShown: (element: ShownElement, offset: number) => void,
  ): void {
    const elements = new OpenElements();
    const tokenizer: Tokenizer = new Tokenizer(wantedWithStyle.inHtml, {
      onStartTag(tag) {
        const isForeign = elements.open(tag) !== 'html';
        if (!elements.isInert) {
          const style = styleThatMatters(tag);
          const element = path.open(tag, isForeign, style);
          if (element !== null && style !== undefined) onShown(element, tag.offset);
        }
        const isRaw = tag.name === 'noscript' && scripting;
        if (!isForeign) tokenizer.switchTo(isRaw ? 'rawtext' : contentModelOf(tag.name));
        follow();
      },
      onEndTag(name) {
        if (!elements.isInert) path.close(name);
        elements.close(name);
        follow();
      },
      onWords() {
        if (!elements.isInert) path.text();
      },
    });
    const follow = () => {
      tokenizer.want(elements.hasForeign ? wantedWithStyle.inForeign : wantedWithStyle.inHtml);
      tokenizer.isCdataAllowed = elements.isForeign;
    };
    let from = 0;
    for (const piece of this.#pieces.splice(0)) {
      characters.add(piece);
      if (from < end) tokenizer.write(piece.slice(0, end - from));
      from += piece.length;
    }
  }
}
