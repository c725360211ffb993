// Selector lists (Selectors 4), parsed by css-what and matched by css-select. Pseudo-classes that cannot be evaluated
// for a page that was just opened, such as :hover, match nothing. The steps of all matching for one page are limited,
// since nested selectors can take any amount of time.

import { createRequire } from 'node:module';
import type { compile, Options } from 'css-select';
import type { Selector } from 'css-what';
import type { PageElement, PageNode } from '../html/page-tree.ts';
import { listOf } from '../style/css-tree.ts';

export interface PageSelector {
  /** Name of the pseudo-element, in lower case; '' if the element itself is selected. */
  readonly pseudoElement: string;
  /** The specificity as one number (Selectors 4, 17). */
  readonly specificity: number;
  /** Keys to look elements up by: each that matches has one of these ids (`#id`), classes (`.class`), types, or `*`. */
  readonly keys: readonly string[];
  /** Whether the selector matches an element; of no meaning once the page's matching steps are used up. */
  matches(element: PageElement): boolean;
}

/** Returns the selector for declarations in an attribute, which apply to its own element (CSS Cascade 5, 6.3). */
export const ofAttribute = (isPresentation: boolean): PageSelector => ({
  pseudoElement: '',
  keys: [],
  matches: () => true,
  specificity: isPresentation ? -1 : Number.POSITIVE_INFINITY,
});

function load() {
  const require = createRequire(import.meta.url);
  const { parse, isTraversal } = require('css-what') as typeof import('css-what');
  return { parse, isTraversal, compile: require('css-select').compile as typeof compile };
}
let library: ReturnType<typeof load> | null = null;
const loaded = () => {
  library ??= load();
  return library;
};

/** The element itself (`''`), and pseudo-elements that have text or a box without any action of the user. */
const pseudoElements = new Set(['', 'before', 'after', 'first-line', 'first-letter']);
/** The pseudo-classes that css-select evaluates as browsers do; it also knows those of jQuery. */
const standard = new Set(
  (
    'any-link checked disabled empty enabled first-child first-of-type has is lang last-child last-of-type link not ' +
    'nth-child nth-last-child nth-last-of-type nth-of-type only-child only-of-type optional required root scope where'
  ).split(' '),
);
/** Pseudo-classes that css-select does not know; `never` stands for all others, such as :hover. */
const pseudos = {
  defined: ({ name }: PageElement) => !name.includes('-'),
  open: ':is(details, dialog)[open]',
  'placeholder-shown': ':is(input, textarea)[placeholder]:not([value]):empty',
  never: () => false,
};

/** Longest selector list that is read, in characters. */
const longestSelectors = 16 * 1024;

/** Limit on steps of selector matching (about one per element visited) for one page; real ones take up to 300,000. */
const mostSteps = 10_000_000;

export class Selectors {
  #steps = 0;
  readonly #options: Options<PageNode, PageElement>;

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
      // In Chromium 156 an element with white space is not :empty, against Selectors 4, 13.2.
      getText: () => 'text',
      removeSubsets: (nodes) => nodes,
    };
    // Elements are added while selectors are in use, so results must not be cached.
    this.#options = { adapter, pseudos, relativeSelector: false, cacheResults: false };
  }

  /** true once the page's matching steps (`mostSteps`) are used up, so that no selector can be matched any more. */
  get isExhausted(): boolean {
    return this.#steps >= mostSteps;
  }

  /** Counts steps of matching. @returns false once they are used up; no node is an element then, so matching ends. */
  spend(steps = 1): boolean {
    this.#steps += steps;
    return !this.isExhausted;
  }

  /** Parses a selector list. @returns [] if the list is invalid, unknown to css-select, or too long */
  of(text: string): PageSelector[] {
    if (text.length > longestSelectors) return [];
    try {
      const list = loaded().parse(text);
      return list.every((each) => each.every(isValid)) ? list.map((each) => this.#of(each)) : [];
    } catch {
      return [];
    }
  }

  #of(all: Selector[]): PageSelector {
    const at = all.findIndex(({ type }) => type === 'pseudo-element');
    const [tokens, rest] = at === -1 ? [all, []] : [all.slice(0, at), all.slice(at)];
    const pseudoElement = rest.map((each) => ('name' in each ? each.name : '')).join();
    const [last] = tokens.slice(-1);
    if (last === undefined || loaded().isTraversal(last))
      tokens.push({ type: 'universal', namespace: null } as Selector);
    const matches = loaded().compile([tokens], this.#options);
    const keys = pseudoElements.has(pseudoElement) ? keysOf(tokens) : [];
    return { pseudoElement, specificity: specificityOf(all), keys, matches };
  }
}

/**
 * Whether a token is valid. :is() and :where() drop the invalid selectors in them (Selectors 4, 4.2). An unknown
 * pseudo-class matches nothing, unless it has the prefix of another browser, which Chromium does not accept.
 */
function isValid(token: Selector): boolean {
  if (token.type !== 'pseudo') return true;
  const { name, data } = token;
  if (/^-(?!webkit-)/.test(name)) return false;
  if (!standard.has(name) && !Object.hasOwn(pseudos, name)) {
    Object.assign(token, { name: 'never', data: null });
    return true;
  }
  if (!Array.isArray(data)) return true;
  // A pseudo-element is invalid inside a pseudo-class.
  const isValidInside = (each: Selector) => each.type !== 'pseudo-element' && isValid(each);
  const valid = data.filter((each) => each.every(isValidInside));
  const isForgiving = name === 'is' || name === 'where';
  if (isForgiving) token.data = valid;
  return isForgiving || valid.length === data.length;
}

const isId = (token: Selector): boolean =>
  token.type === 'attribute' && token.name === 'id' && token.ignoreCase === 'quirks';

/** Weights of an id, a class and a type; no selector is long enough for classes to outweigh an id, or types a class. */
const [ofId, ofClass, ofType] = [1e10, 1e5, 1];

const specificityOf = (tokens: readonly Selector[]): number =>
  tokens.reduce((sum, token) => sum + weightOf(token), 0);

function weightOf(token: Selector): number {
  if (token.type === 'tag' || token.type === 'pseudo-element') return ofType;
  if (token.type === 'attribute') return isId(token) ? ofId : ofClass;
  if (token.type !== 'pseudo' || token.name === 'where') return 0;
  if (Array.isArray(token.data)) return Math.max(0, ...token.data.map(specificityOf));
  const [, counted] = (/^nth-/.test(token.name) && /\sof\s+(.+)/is.exec(token.data ?? '')) || [];
  return ofClass + (counted ? Math.max(...loaded().parse(counted).map(specificityOf)) : 0);
}

/** Returns the keys under which the elements that may match a selector can be looked up. */
function keysOf(tokens: readonly Selector[]): string[] {
  let keys = ['*'];
  for (const token of tokens.slice(1 + tokens.findLastIndex(loaded().isTraversal))) {
    if (token.type === 'attribute') {
      if (isId(token)) return [`#${token.value}`];
      if (token.name === 'class' && token.action === 'element') keys = [`.${token.value}`];
    }
    if (keys[0] !== '*') continue;
    if (token.type === 'tag') keys = [token.name.toLowerCase()];
    if (token.type === 'pseudo' && /^(?:is|where)$/.test(token.name) && Array.isArray(token.data))
      keys = [...new Set(token.data.flatMap(keysOf))];
  }
  return keys;
}

/**
 * Returns the selectors of a rule inside another one (CSS Nesting 1, 3): the parent's selectors replace each `&`. The
 * length is limited, since each level of nested `&&` doubles the text.
 * @param parent The selectors of the parent rule; '' if there is none
 */
export function nestedSelectors(text: string, parent: string): string {
  const written = text.trim();
  if (parent === '') return written.replaceAll('&', ':root');
  const list = listOf(written);
  const places = list.length + written.split('&').length;
  if (places * parent.length > longestSelectors) return ':not(*)';
  const around = `:is(${parent})`;
  return list
    .map((each) => (each.includes('&') ? each.replaceAll('&', () => around) : `${around} ${each}`))
    .join(', ');
}
