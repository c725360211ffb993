// Selector lists (Selectors 4), parsed by css-what and matched by css-select. Pseudo-classes that cannot be evaluated
// for a page that was just opened, such as :hover, match nothing. The steps of all matching for one page are limited,
// since nested selectors can take any amount of time.

import { createRequire } from 'node:module';
import type { Options } from 'css-select';
import type { Selector } from 'css-what';
import type { PageElement, PageNode } from '../html/page-tree.ts';
import { listOf } from '../style/css-tree.ts';

export interface PageSelector {
  /** The selector as text; '' if the declarations are in an attribute of the element. */
  readonly text: string;
  /** Name of the pseudo-element, in lower case; '' if the element itself is selected. */
  readonly pseudoElement: string;
  /** The specificity as one number (Selectors 4, 17). */
  readonly specificity: number;
  /** Keys to look elements up by: each that matches has one of these ids (`#id`), classes (`.class`), types, or `*`. */
  readonly keys: readonly string[];
  /** Whether the selector matches an element. @throws Error once the page's matching steps are used up (`spend`) */
  matches(element: PageElement): boolean;
}

/** Returns the selector for declarations in an attribute, which apply to its own element (CSS Cascade 5, 6.3). */
export const ofAttribute = (isPresentation: boolean): PageSelector => ({
  text: '',
  pseudoElement: '',
  keys: [],
  matches: () => true,
  specificity: isPresentation ? -1 : Number.POSITIVE_INFINITY,
});

interface CssSelectLibrary {
  compile: typeof import('css-select').compile;
  parse: typeof import('css-what').parse;
  stringify: typeof import('css-what').stringify;
}

/** Pseudo-elements that exist without any action of the user. */
const pseudoElements = new Set(
  'before after first-line first-letter marker placeholder'.split(' '),
);

/** Pseudo-classes of Chromium 156 that no element is known to match before the user does something. */
const never =
  'active-view-transition autofill -webkit-autofill current default dir focus focus-visible focus-within fullscreen ' +
  'future horizontal host host-context state -webkit-full-screen in-range indeterminate interest-source invalid modal out-of-range past ' +
  'picture-in-picture popover-open target target-current user-invalid user-valid valid vertical window-inactive';
const textField =
  ':is(textarea, input:not([type]), input:is(:is([type=text], [type=search], [type=url], [type=tel], [type=email], ' +
  '[type=password], [type=date], [type=month], [type=week], [type=time], [type=datetime-local], [type=number])))';
const pseudos: Record<string, string | ((element: PageElement) => boolean)> = {
  ...Object.fromEntries(never.split(' ').map((name) => [name, () => false])),
  // In Chromium 156 an element with white space is not :empty, against Selectors 4, 13.2.
  empty: ({ children }) => children.length === 0,
  defined: ({ name }) => !name.includes('-'),
  open: ':is(details, dialog)[open]',
  'placeholder-shown': ':is(input, textarea)[placeholder]:not([value]):empty',
  'read-only': ':not(:read-write)',
  'read-write': `:is(${textField}:not([readonly], :disabled), [contenteditable]:not([contenteditable=false i]))`,
};
/** The standard pseudo-classes that css-select knows; it also knows those of jQuery. */
const standard = new Set(
  (
    'active any-link checked disabled enabled first-child first-of-type has hover is lang last-child last-of-type link not ' +
    'nth-child nth-last-child nth-last-of-type nth-of-type only-child only-of-type optional required root scope visited where'
  ).split(' '),
);

/** Longest selector list that is read, in characters. */
const longestSelectors = 16 * 1024;

/** Limit on steps of selector matching (about one per element visited) for one page; real ones take up to 300,000. */
const mostSteps = 10_000_000;

export class Selectors {
  #steps = 0;
  readonly #options: Options<PageNode, PageElement>;
  #library: CssSelectLibrary | null = null;

  constructor() {
    const adapter: Options<PageNode, PageElement>['adapter'] = {
      isTag: (node): node is PageElement => this.spend() && typeof node !== 'string',
      getName: ({ name }) => name,
      getAttributeValue: ({ attributes }, name) => {
        const value = attributes.get(name);
        this.spend(value === undefined ? 1 : 1 + (value.length >> 6));
        return value;
      },
      hasAttrib: ({ attributes }, name) => attributes.has(name),
      getParent: ({ parent }) => (this.spend() ? parent : null),
      getChildren: (node) => (typeof node === 'string' ? [] : node.children),
      getSiblings: (node) =>
        typeof node === 'string' ? [node] : (node.parent?.children ?? [node]),
      prevElementSibling: (node) => (typeof node === 'string' ? null : node.previous),
      getText: () => '',
      removeSubsets: (nodes) => nodes,
    };
    // Elements are added while selectors are in use, so results must not be cached.
    this.#options = { adapter, pseudos, relativeSelector: false, cacheResults: false };
  }

  /** true once the page's matching steps (`mostSteps`) are used up, so that no selector can be matched any more. */
  get isExhausted(): boolean {
    return this.#steps >= mostSteps;
  }

  /** Counts steps of matching. @throws Error once more than `mostSteps` were counted, which ends the matching */
  spend(steps = 1): true {
    this.#steps += steps;
    if (this.isExhausted) throw new Error('too much to compare');
    return true;
  }

  /** Parses a selector list. @returns [] if the list is invalid or too long */
  of(text: string): PageSelector[] {
    if (text.length > longestSelectors) return [];
    this.#library ??= load();
    const { parse, stringify } = this.#library;
    try {
      const list = parse(text);
      if (!list.every((each) => each.every(isValid))) return [];
      const [only] = list.length === 1 ? [text] : [];
      return list.map((each) => this.#selector(each, only ?? stringify([each])));
    } catch {
      return [];
    }
  }

  #selector(all: Selector[], text: string): PageSelector {
    const last = all.at(-1);
    const pseudoElement = last?.type === 'pseudo-element' ? last.name.toLowerCase() : '';
    const tokens = pseudoElement === '' ? all : all.slice(0, -1);
    if (tokens.length === 0 || isCombinator(tokens.at(-1)))
      tokens.push({ type: 'universal', namespace: null } as Selector);
    const specificity = specificityOf(all, this.#library?.parse);
    const isThere = pseudoElement === '' || pseudoElements.has(pseudoElement);
    const keys = isThere ? keysOf(tokens) : [];
    return { text, pseudoElement, specificity, keys, matches: this.#compiled(tokens) };
  }

  #compiled(tokens: Selector[]): PageSelector['matches'] {
    try {
      return this.#library?.compile([tokens], this.#options) ?? matchNothing;
    } catch {
      return matchNothing;
    }
  }
}

const matchNothing = () => false;

function load(): CssSelectLibrary {
  const require = createRequire(import.meta.url);
  return { ...require('css-what'), compile: require('css-select').compile };
}

const combinators = new Set(['adjacent', 'child', 'descendant', 'parent', 'sibling']);
const isCombinator = (token: Selector | undefined): boolean => combinators.has(token?.type ?? '');

/** Whether a token is valid. :is() and :where() drop the invalid selectors in them (Selectors 4, 4.2). */
function isValid(token: Selector): boolean {
  if (token.type !== 'pseudo') return true;
  const { name, data } = token;
  if (!standard.has(name) && !Object.hasOwn(pseudos, name)) return false;
  if (!Array.isArray(data)) return true;
  const valid = data.filter((each) => each.every(isValid));
  const isForgiving = name === 'is' || name === 'where';
  if (isForgiving) token.data = valid;
  return isForgiving || valid.length === data.length;
}

const isId = (token: Selector): boolean =>
  token.type === 'attribute' && token.name === 'id' && token.ignoreCase === 'quirks';

/** Weights of an id, a class and a type; no selector is long enough for classes to outweigh an id, or types a class. */
const [ofId, ofClass, ofType] = [1e10, 1e5, 1];

function specificityOf(
  tokens: readonly Selector[],
  parse: CssSelectLibrary['parse'] | undefined,
): number {
  const most = (lists: Selector[][]): number =>
    lists.reduce((max, each) => Math.max(max, specificityOf(each, parse)), 0);
  const of = (token: Selector): number => {
    if (token.type === 'tag' || token.type === 'pseudo-element') return ofType;
    if (token.type === 'attribute') return isId(token) ? ofId : ofClass;
    if (token.type !== 'pseudo' || token.name === 'where') return 0;
    if (Array.isArray(token.data)) return most(token.data);
    const [, list] = /\sof\s(.*)$/s.exec(token.data ?? '') ?? [];
    return ofClass + (list && parse ? most(parse(list)) : 0);
  };
  return tokens.reduce((sum, token) => sum + of(token), 0);
}

/** Returns the keys under which the elements that may match a selector can be looked up. */
function keysOf(tokens: readonly Selector[]): string[] {
  const compound = tokens.slice(1 + tokens.findLastIndex(isCombinator));
  let key: string | null = null;
  for (const token of compound) {
    if (token.type === 'attribute' && isId(token)) return [`#${token.value}`];
    if (token.type === 'attribute' && token.name === 'class' && token.action === 'element')
      key = `.${token.value}`;
    if (token.type === 'tag') key ??= token.name.toLowerCase();
  }
  if (key !== null) return [key];
  for (const token of compound) {
    const isList = token.type === 'pseudo' && /^(?:is|where|matches)$/.test(token.name);
    if (isList && Array.isArray(token.data)) return [...new Set(token.data.flatMap(keysOf))];
  }
  return ['*'];
}

/**
 * Returns the selectors of a rule inside another one (CSS Nesting 1, 3): the parent's selectors replace each `&`. The
 * length is limited, since each level of nested `&&` doubles the text.
 * @param parent The selectors of the parent rule; null if there is none
 */
export function nestedSelectors(text: string, parent: string | null): string {
  const written = text.trim();
  if (parent === null) return written.replaceAll('&', ':root');
  const list = listOf(written);
  const places = list.length + written.split('&').length;
  if (places * parent.length > longestSelectors) return '';
  const around = `:is(${parent})`;
  const ancestor = parent.includes(',') ? around : parent;
  return list
    .map((each) => (each.includes('&') ? each.replaceAll('&', around) : `${ancestor} ${each}`))
    .join(', ');
}
