// Finds the end of what is neither a tag nor text: comments, doctypes, CDATA sections and what counts as a comment.
// All of them end at a `>`; what stands before it decides. So only `>` is looked for, and the last characters before
// a cut are kept.

/**
 * - `bogus`: the first `>` ends it (HTML 13.2.5.41), as it does a doctype, even within quotes (13.2.5.53 to 13.2.5.68)
 * - `comment`: `-->` and `--!>` end it (13.2.5.43 to 13.2.5.52)
 * - `cdata`: `]]>` ends it (13.2.5.69 to 13.2.5.71)
 */
export type MarkupKind = 'bogus' | 'comment' | 'cdata';

const longestEnd = '--!'.length;

export class MarkupEnd {
  #kind: MarkupKind = 'bogus';
  /** Characters before this chunk; from `longestEnd` on it does not matter how many. */
  #length = 0;
  /** The last of them. */
  #tail = '';

  start(kind: MarkupKind): void {
    this.#kind = kind;
    this.#length = 0;
    this.#tail = '';
  }

  /** @returns Index after the end; -1: it has not arrived, and all of `text` is read. */
  find(text: string, at: number): number {
    for (let end = text.indexOf('>', at); end !== -1; end = text.indexOf('>', end + 1)) {
      if (this.#kind === 'bogus' || this.#ends(text, at, end)) return end + 1;
    }
    if (this.#kind === 'bogus') return -1;
    this.#tail = (this.#tail + text.slice(Math.max(at, text.length - longestEnd))).slice(
      -longestEnd,
    );
    this.#length += text.length - at;
    return -1;
  }

  /** Whether the `>` at `end` is the last character. */
  #ends(text: string, at: number, end: number): boolean {
    const before =
      end - at >= longestEnd
        ? text.slice(end - longestEnd, end)
        : (this.#tail + text.slice(at, end)).slice(-longestEnd);
    if (this.#kind === 'cdata') return before.endsWith(']]');
    if (before.endsWith('--') || before === '--!') return true;
    // <!--> and <!---> are comments, too (HTML 13.2.5.43 and 13.2.5.44).
    const length = this.#length + end - at;
    return length === 0 || (length === 1 && before === '-');
  }
}

/**
 * What begins with `<!` and these characters (HTML 13.2.5.42).
 * @returns null: the next character decides.
 */
export function markupKind(start: string, isCdataAllowed: boolean): MarkupKind | null {
  if (start === '--') return 'comment';
  if (isCdataAllowed && start === '[CDATA[') return 'cdata';
  if (start === '-' || (isCdataAllowed && '[CDATA['.startsWith(start))) return null;
  return 'bogus';
}
