// The element tree of a page, built from the scanner's tags to match selectors. It implements those rules of the tree
// builder (HTML 13.2.6.4) on which pages rely: void elements, optional end tags, and elements that exist without a tag.
// Formatting elements that are closed in the wrong order are not reopened.

import { type StartTag, Tokenizer } from '../tokenizer.ts';
import { OpenElements } from './open-elements.ts';

export interface PageElement {
  /** Tag name of the element, in lower case. */
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly isForeign: boolean;
  readonly parent: PageElement | null;
  /** Previous sibling element. */
  readonly previous: PageElement | null;
  /** Child nodes in order; a string stands for text. */
  readonly children: PageNode[];
  /** true if the element itself, not just a descendant, shows text other than white space. */
  hasText: boolean;
}

export type PageNode = PageElement | string;

interface OpenElement {
  name: string;
  /** The element in the tree; null if it is not kept, because the page has too many elements. */
  element: PageElement | null;
}

/** Returns the set of the names in a text, where spaces separate them. */
export const setOf = (names: string): ReadonlySet<string> => new Set(names.split(' '));

const voidElements = setOf(
  'area base basefont bgsound br col embed frame hr image img input keygen link meta param source track wbr',
);
const outermost = setOf('html head body');
const inHead = setOf('base basefont bgsound link meta noscript script style template title');
const closesParagraph = setOf(
  'address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer form h1 h2 h3 h4 ' +
    'h5 h6 header hgroup hr main menu nav ol p pre listing search section summary ul li dd dt xmp table plaintext',
);
/** Elements inside which an end tag closes no element outside of them (HTML 13.2.4.2, "scope"). */
const scopes = setOf('applet caption html table td th marquee object template');
/** "Special" elements (HTML 13.2.4.2) inside which the end tag of an ordinary element closes nothing outside. */
const special = setOf(
  'address article aside blockquote body button center dd details dir div dl dt fieldset figcaption figure footer form ' +
    'h1 h2 h3 h4 h5 h6 header hgroup html li main menu nav ol p pre search section select summary table tbody td ' +
    'template textarea tfoot th thead tr ul',
);
/** Elements whose content is not markup (HTML 13.2.6.4), and is not shown as the text of the page. */
export const hidesText = setOf('iframe noembed noframes plaintext script style textarea title xmp');
const headings = setOf('h1 h2 h3 h4 h5 h6');
const tableParts = setOf('caption colgroup tbody tfoot thead tr td th');
const rowGroups = setOf('tbody tfoot thead');

const itemScope = new Set([...special].filter((name) => !/^(?:address|div|p)$/.test(name)));
const buttonScope = new Set([...scopes, 'button']);

/** By start tag, the open elements that it closes: those in this scope, or (null) only while one is innermost. */
const closedBy = new Map<string, [names: readonly string[], scope: ReadonlySet<string> | null]>([
  ['li', [['li'], itemScope]],
  ['dd', [['dd', 'dt'], itemScope]],
  ['dt', [['dd', 'dt'], itemScope]],
  ['optgroup', [['option', 'optgroup'], null]],
  ['option', [['option'], null]],
  ['rp', [['rp', 'rt'], null]],
  ['rt', [['rp', 'rt'], null]],
  ['a', [['a'], special]],
  ['button', [['button'], scopes]],
]);

/** Whether the element is a form control that is at least one line of text high, even while it is empty. */
const hasTextOfItsOwn = ({ name, attributes }: StartTag): boolean =>
  name === 'select' ||
  name === 'textarea' ||
  (name === 'input' && !/^(?:hidden|checkbox|radio|image)$/i.test(attributes.get('type') ?? ''));

/** Chromium's limit on the depth of nested elements; deeper elements become siblings. */
const deepest = 512;

/** Limit on the elements of a page in the tree; later elements are ignored. */
const mostElements = 50_000;

/**
 * Builds the tree of the part of a page before its first style.
 * @param onElement Called for each element that is kept
 */
export function treeOf(
  text: string,
  onElement: (element: PageElement, tag: StartTag) => void,
): PageTree {
  const tree = new PageTree();
  const elements = new OpenElements();
  const tokenizer = new Tokenizer({
    onStartTag(tag) {
      const isForeign = elements.open(tag) !== 'html';
      const element = elements.isInert ? null : tree.open(tag, isForeign);
      if (element !== null) onElement(element, tag);
    },
    onEndTag(name) {
      if (!elements.isInert) tree.close(name);
      elements.close(name);
    },
    onText(text) {
      if (!elements.isInert) tree.text(text);
    },
    isForeign: () => elements.isForeign,
  });
  tokenizer.write(text);
  tree.addCharacters(text);
  return tree;
}

export class PageTree {
  /** The elements of the page so far (the first `mostElements`), in document order. */
  readonly elements: PageElement[] = [];
  /** Characters of the page, to compare with unicode-range of fonts: those beyond ASCII; `Aa` stands for ASCII. */
  readonly characters = new Set('Aa');
  /** Number that grows whenever a selector may match an element that it did not match before. */
  version = 0;
  readonly #open: OpenElement[] = [];
  /** Number of open elements by name: most elements that a tag would close are not open, and need not be looked for. */
  readonly #counts = new Map<string, number>();
  #isBodyOpen = false;

  /** Adds the element of a start tag. @returns null: the tag creates none, or the page has too many elements */
  open(tag: StartTag, isForeign: boolean): PageElement | null {
    const { name } = tag;
    if (!this.#startDocument(name)) return null;
    if (!isForeign) {
      this.#closeImplied(name);
      if (tableParts.has(name) && !this.#openTable(name)) return null;
    }
    const element = this.#add(name, tag.attributes, isForeign);
    const isOver = isForeign ? tag.isSelfClosing : voidElements.has(name);
    if (!isOver) this.#push(name, element);
    if (element !== null && hasTextOfItsOwn(tag)) element.hasText = true;
    return element;
  }

  close(name: string): void {
    if (outermost.has(name)) return;
    const isSpecial = special.has(name);
    this.#closeUpTo(name, headings.has(name) || isSpecial ? scopes : special);
  }

  /** Adds a piece of text, which may be white space. */
  text(text: string): void {
    const around = this.#open.at(-1)?.element;
    if (around && !around.isForeign && hidesText.has(around.name)) return;
    const hasWords = /[^\t\n\f\r ]/.test(text);
    if (hasWords) this.#startBody();
    const element = this.#open.at(-1)?.element;
    if (!element) return;
    if (typeof element.children.at(-1) !== 'string') element.children.push(' ');
    element.hasText ||= hasWords;
    this.version++;
  }

  /** Ends the document, which has a body even if none of its tags opened one. */
  end(): void {
    this.#startBody();
  }

  addCharacters(text: string): void {
    for (const character of text.match(/[^\0-\x7f]/gu) ?? []) this.characters.add(character);
  }

  /** Opens html, head and body where a tag implies them. @returns Whether the tag creates an element of its own */
  #startDocument(name: string): boolean {
    if (this.#open.length === 0) {
      if (name === 'html') return true;
      this.#imply('html');
    } else if (name === 'html') return false;
    if (this.#isBodyOpen) return name !== 'body' && name !== 'head';
    if (name === 'head') return this.#open.length === 1;
    if (inHead.has(name)) {
      if (this.#open.length === 1) this.#imply('head');
      return true;
    }
    this.#truncate(1);
    this.#isBodyOpen = true;
    if (name !== 'body' && name !== 'frameset') this.#imply('body');
    return true;
  }

  #startBody(): void {
    // Text in an element of the head, such as a title, is not part of the body.
    if (!this.#isBodyOpen && this.#open.length <= 2) this.#startDocument('');
  }

  #closeImplied(name: string): void {
    if (closesParagraph.has(name)) this.#closeUpTo('p', buttonScope);
    const [names, scope] = closedBy.get(name) ?? [headings.has(name) ? headings : [], null];
    for (const each of names) {
      if (scope !== null) this.#closeUpTo(each, scope);
      else if (this.#open.at(-1)?.name === each) this.#truncate(this.#open.length - 1);
    }
  }

  /** Closes and opens elements so that a row, cell or group of a table may follow. @returns false: no table is open */
  #openTable(name: string): boolean {
    if (!this.#isOpen('table')) return false;
    const table = this.#open.findLastIndex((each) => each.name === 'table');
    if (name === 'td' || name === 'th') {
      const row = this.#open.findIndex((each, at) => at > table && each.name === 'tr');
      if (row === -1) {
        this.#openTable('tr');
        this.#imply('tr');
      } else this.#truncate(row + 1);
    } else if (name === 'tr') {
      const group = this.#open.findIndex((each, at) => at > table && rowGroups.has(each.name));
      this.#truncate(group === -1 ? table + 1 : group + 1);
      if (group === -1) this.#imply('tbody');
    } else {
      this.#truncate(table + 1);
    }
    return true;
  }

  #closeUpTo(name: string, scope: ReadonlySet<string>): void {
    if (!this.#isOpen(name)) return;
    for (let at = this.#open.length - 1; at > 0; at--) {
      const each = this.#open[at] as OpenElement;
      if (each.name === name) {
        this.#truncate(at);
        return;
      }
      if (scope.has(each.name)) return;
    }
  }

  #isOpen(name: string): boolean {
    return (this.#counts.get(name) ?? 0) > 0;
  }

  /** Closes the innermost elements. @param length Number of elements that stay open. */
  #truncate(length: number): void {
    while (this.#open.length > length) {
      const { name } = this.#open.pop() as OpenElement;
      this.#count(name, -1);
    }
  }

  #imply(name: string): void {
    this.#push(name, this.#add(name, new Map(), false));
  }

  #add(name: string, attributes: StartTag['attributes'], isForeign: boolean): PageElement | null {
    const open = this.#open.at(-1);
    const parent = open?.element ?? null;
    if (this.elements.length >= mostElements || (open !== undefined && parent === null))
      return null;
    const previous = parent?.children.findLast((each) => typeof each !== 'string') ?? null;
    const element: PageElement = {
      name,
      attributes,
      isForeign,
      parent,
      previous,
      children: [],
      hasText: false,
    };
    parent?.children.push(element);
    this.elements.push(element);
    this.version++;
    return element;
  }

  #push(name: string, element: PageElement | null): void {
    if (this.#open.length >= deepest) this.#truncate(this.#open.length - 1);
    this.#open.push({ name, element });
    this.#count(name, 1);
  }

  #count(name: string, by: 1 | -1): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + by);
  }
}
