// Finds the end of text that is not markup: RCDATA, RAWTEXT, script data and PLAINTEXT (HTML 13.2.5.2 to 13.2.5.5 and
// 13.2.5.9 to 13.2.5.31). It ends only at the appropriate end tag, which has the name of the start tag. In a script,
// `<!--` and then `<script` begin text that `</script>` does not end, so that scripts may write scripts.

import { endsName, lowerCase, normalised } from './characters.ts';
import type { ContentModel } from './content-model.ts';

/** Whether a script is in text that hides its end tag (HTML 13.2.5.20 to 13.2.5.31). */
type Escape = 'none' | 'escaped' | 'double escaped';

const escapeCharacters = /[-<>]/g;

export class RawText {
  readonly #onText: (text: string) => void;
  #wantsText = false;
  #isScript = false;
  /** `</` and the name of the end tag; null: nothing ends the text. */
  #endTag: string | null = null;
  #escape: Escape = 'none';
  /** Number of dashes right before the position, at most two: `-->` ends an escape. */
  #dashes = 0;
  /** `<` and what follows it, in lower case, while it may become an end tag or an escape. */
  #candidate = '';
  /** Characters of the candidate in earlier chunks, as written. */
  #held = '';
  /** The last piece ended with CR, so an LF that follows belongs to the same newline. */
  #isAfterReturn = false;

  constructor(onText: (text: string) => void) {
    this.#onText = onText;
  }

  /** @param name Name of the start tag, in lower case; null: no end tag is appropriate. */
  start(model: Exclude<ContentModel, 'data'>, name: string | null, wantsText: boolean): void {
    this.#wantsText = wantsText;
    this.#isScript = model === 'script';
    this.#endTag = model === 'plaintext' || name === null ? null : `</${name}`;
    this.#escape = 'none';
    this.#dashes = 0;
    this.#candidate = '';
    this.#held = '';
    this.#isAfterReturn = false;
  }

  /** Number of characters of `</` and the name. */
  get endTagLength(): number {
    return this.#endTag?.length ?? 0;
  }

  /** @returns Index after the name of the end tag; -1: it has not arrived, and all of `text` has been read. */
  find(text: string, start: number): number {
    let at = start;
    while (at < text.length) {
      if (this.#candidate === '') {
        at = this.#nextCandidate(text, at);
        continue;
      }
      const code = text.charCodeAt(at);
      const grown = this.#candidate + lowerCase(code);
      if (this.#isStartOfSomething(grown)) {
        this.#candidate = grown;
        at++;
        if (grown === '<!--') this.#openEscape();
      } else if (endsName(code) && this.#isEndTag()) {
        this.#pass(text.slice(start, Math.max(start, at - this.#candidate.length)));
        this.#held = '';
        return at;
      } else {
        if (endsName(code) && this.#switchEscape()) at++;
        this.#dropCandidate();
      }
    }
    const end = Math.max(start, text.length - this.#candidate.length);
    if (this.#wantsText) {
      this.#pass(text.slice(start, end));
      this.#held += text.slice(end);
    }
    return -1;
  }

  /** Called when no end tag follows: a candidate for one is text. */
  end(): void {
    this.#dropCandidate();
  }

  /** Reads up to the next `<`, including the end of an escape on the way. */
  #nextCandidate(text: string, at: number): number {
    if (this.#endTag === null) return text.length;
    if (this.#escape !== 'none') return this.#nextInEscape(text, at);
    const open = text.indexOf('<', at);
    if (open === -1) return text.length;
    this.#candidate = '<';
    return open + 1;
  }

  #nextInEscape(text: string, at: number): number {
    escapeCharacters.lastIndex = at;
    const found = escapeCharacters.test(text);
    const index = found ? escapeCharacters.lastIndex - 1 : text.length;
    if (index > at) this.#dashes = 0;
    if (!found) return index;
    const character = text[index];
    if (character === '-') {
      this.#dashes = Math.min(2, this.#dashes + 1);
    } else {
      if (character === '<') this.#candidate = '<';
      else if (this.#dashes === 2) this.#escape = 'none';
      this.#dashes = 0;
    }
    return index + 1;
  }

  #isStartOfSomething(start: string): boolean {
    if (this.#escape === 'double escaped') return '</script'.startsWith(start);
    if (this.#endTag?.startsWith(start)) return true;
    return this.#isScript && (this.#escape === 'none' ? '<!--' : '<script').startsWith(start);
  }

  #isEndTag(): boolean {
    return this.#candidate === this.#endTag && this.#escape !== 'double escaped';
  }

  #openEscape(): void {
    this.#escape = 'escaped';
    this.#dashes = 2; // <!--> is a whole escape (HTML 13.2.5.21)
    this.#dropCandidate();
  }

  /** @returns Whether the candidate switches the escape, so that the character after its name belongs to it. */
  #switchEscape(): boolean {
    if (this.#escape === 'escaped' && this.#candidate === '<script') {
      this.#escape = 'double escaped';
      return true;
    }
    if (this.#escape === 'double escaped' && this.#candidate === '</script') {
      this.#escape = 'escaped';
      return true;
    }
    return false;
  }

  #dropCandidate(): void {
    this.#candidate = '';
    this.#pass(this.#held);
    this.#held = '';
  }

  #pass(text: string): void {
    if (!this.#wantsText || text === '') return;
    const isSameNewline = this.#isAfterReturn && text.startsWith('\n');
    this.#isAfterReturn = text.endsWith('\r');
    const piece = normalised(isSameNewline ? text.slice(1) : text);
    if (piece !== '') this.#onText(piece);
  }
}
