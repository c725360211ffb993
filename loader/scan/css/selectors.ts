// What a selector list needs of a page (Selectors 4). A selector is plain if it is made of types, classes, ids,
// combinators, pseudo-elements and the few pseudo-classes that are known of a page that was just opened.

import { decoded } from './escapes.ts';
import type { Combinator, Compound, Condition, SelectorUse } from './selector-use.ts';
import { splitAtCommas, valueTokens } from './value-tokens.ts';

/** Of one rule, its parents multiplied in. */
const most = 64;
/** Longer selectors of rules in rules are left out, so that nothing is sure about what they select. */
const longestNested = 16 * 1024;

const name = '(?:[-\\w\\u0000\\u0080-\\uffff]|\\\\[^\\n\\r\\f]|(?<=\\\\[0-9a-fA-F]{1,6}) )+';
const part = new RegExp(
  `( ?[>+~] ?| )|([*&])|([.#]?)(${name})|(::?)(${name})(\\(?)|(\\[[^\\]"']*(?:"[^"]*"|'[^']*')?[^\\]]*\\])`,
  'y',
);

/** Boxes that an element has without the reader's doing anything. */
const pseudoElements = new Set(
  'before after first-line first-letter marker placeholder'.split(' '),
);
/** Those that elements have as names. */
const pseudoClasses: Readonly<Record<string, string>> = {
  root: ':root',
  link: ':link',
  'any-link': ':link',
  'first-child': ':first-child',
};
/** Some element of a type is the first of its type, but not some element of a class. */
const ofType = new Set(['first-of-type', 'last-of-type']);

const boxless = new Set('head title meta link style script base template'.split(' '));

/** @param parents Those of the rule around; null: there is none */
export function selectorUses(
  prelude: string,
  parents: readonly SelectorUse[] | null,
): SelectorUse[] {
  const uses = listOf(prelude.replaceAll('/**/', '')).map(selectorUse);
  if (parents === null) return uses.map(withoutParent);
  return uses
    .flatMap((use) =>
      parents.filter((parent) => fits(use, parent)).map((each) => nested(use, each)),
    )
    .slice(0, most);
}

/** `&` is then the root (CSS Nesting 1, 3), and nothing stands before a combinator. */
function withoutParent(use: SelectorUse): SelectorUse {
  if (use.leading !== undefined) return { ...use, isPlain: false };
  if (!use.text.includes('&')) return use;
  const compounds = use.compounds.map((compound) =>
    compound.map((each) => (each === '&' ? ':root' : each)),
  );
  return { ...use, compounds };
}

const normalised = (selector: string): string => selector.trim().replace(/[ \t\n\f\r]+/g, ' ');

function listOf(prelude: string): string[] {
  if (!/["'([]/.test(prelude)) return prelude.split(',', most);
  const tokens = valueTokens(prelude);
  if (tokens === null) return [];
  return splitAtCommas(tokens)
    .slice(0, most)
    .map((each) => prelude.slice(each[0]?.start ?? 0, each.at(-1)?.end ?? 0));
}

/** Each `&` is replaced by the parent, so that rules of `&&` in one another would double the text. */
function fits({ text }: SelectorUse, parent: SelectorUse): boolean {
  const places = Math.max(1, text.split('&').length - 1);
  return text.length + places * parent.text.length <= longestNested;
}

/** CSS Nesting 1, 3 */
function nested(use: SelectorUse, parent: SelectorUse): SelectorUse {
  const { text, pseudoElement } = use;
  return {
    text: text.includes('&') ? text.replaceAll('&', parent.text) : `${parent.text} ${text}`,
    ...nestedCompounds(use, parent),
    conditions: [...(parent.conditions ?? []), ...(use.conditions ?? [])],
    isPlain: use.isPlain && parent.isPlain && parent.pseudoElement === null,
    isSome: use.isSome || parent.isSome,
    pseudoElement,
  };
}

/** Each `&` is the element of the parent. Without one, the selector is of what is in that element. */
function nestedCompounds(use: SelectorUse, parent: SelectorUse) {
  const compounds: Compound[] = [];
  const combinators: Combinator[] = [];
  if (!use.compounds.some((compound) => compound.includes('&'))) {
    compounds.push(...parent.compounds);
    combinators.push(...parent.combinators, use.leading ?? ' ');
  }
  for (const [index, compound] of use.compounds.entries()) {
    if (index > 0) combinators.push(use.combinators[index - 1] ?? ' ');
    if (compound.includes('&')) {
      const others = compound.filter((each) => each !== '&');
      compounds.push(...parent.compounds.slice(0, -1), [...lastOf(parent), ...others]);
      combinators.push(...parent.combinators);
    } else {
      compounds.push(compound);
    }
  }
  return { compounds, combinators };
}

const lastOf = ({ compounds }: SelectorUse): Compound => compounds.at(-1) ?? [];

/** What one selector was read to be, so far. */
interface Draft {
  compounds: string[][];
  combinators: Combinator[];
  leading: Combinator | undefined;
  conditions: Condition[];
  pseudoElement: string | null;
  isSome: boolean;
  /** A compound has begun. */
  isOpen: boolean;
}

function selectorUse(selector: string): SelectorUse {
  const text = normalised(selector);
  const draft: Draft = {
    compounds: [[]],
    combinators: [],
    leading: undefined,
    conditions: [],
    pseudoElement: null,
    isSome: false,
    isOpen: false,
  };
  let isPlain = text !== '';
  part.lastIndex = 0;
  while (isPlain && part.lastIndex < text.length) {
    const match = part.exec(text);
    isPlain = match !== null && readPart(match, draft);
  }
  const { compounds, combinators, leading, conditions, pseudoElement, isSome, isOpen } = draft;
  // By the browser's own sheet they have no box.
  isPlain &&= isOpen && !compounds.at(-1)?.some((each) => boxless.has(each));
  return {
    text,
    compounds,
    combinators,
    isPlain,
    isSome,
    pseudoElement,
    ...(leading !== undefined && { leading }),
    ...(conditions.length > 0 && { conditions }),
  };
}

/** @returns Whether it is known */
function readPart(match: RegExpExecArray, draft: Draft): boolean {
  const [, link, other, mark, word, colons, pseudo, parenthesis, bracketed] = match;
  if (link !== undefined) return combine((link.trim() || ' ') as Combinator, draft);
  draft.isOpen = true;
  const compound = draft.compounds.at(-1) ?? [];
  if (other === '&') compound.push('&');
  if (other !== undefined) return true;
  if (word !== undefined) {
    compound.push(mark === '' ? decoded(word).toLowerCase() : `${mark}${decoded(word)}`);
    return true;
  }
  if (bracketed !== undefined) {
    const condition = attributeCondition(bracketed);
    if (condition === null) return false;
    draft.conditions.push(condition);
    compound.push(condition.name);
    return true;
  }
  const called = decoded(pseudo ?? '').toLowerCase();
  if (parenthesis !== '') return false;
  if (pseudoElements.has(called) && (colons === '::' || /^(?:be|af|fi)/.test(called))) {
    draft.pseudoElement = called;
    return true;
  }
  if (colons !== ':') return false;
  if (ofType.has(called)) {
    draft.isSome = true;
    return compound.length === 1 && /^[a-z]/.test(compound[0] ?? '');
  }
  const known = Object.hasOwn(pseudoClasses, called) ? pseudoClasses[called] : undefined;
  if (known !== undefined) compound.push(known);
  return known !== undefined;
}

/** @returns Whether it is valid */
function combine(combinator: Combinator, draft: Draft): boolean {
  // Which of the elements beside one another is meant is not known.
  if (combinator === '+' || combinator === '~') draft.isSome = true;
  if (draft.isOpen) {
    draft.combinators.push(combinator);
    draft.compounds.push([]);
    draft.isOpen = false;
    return true;
  }
  const isFirst = draft.compounds.length === 1 && draft.leading === undefined;
  draft.leading = combinator;
  return isFirst;
}

const attributeSelector =
  /^\[[ \t\n\f\r]*(class|id)[ \t\n\f\r]*(?:([~^$*]?=)[ \t\n\f\r]*("[^"\\]*"|'[^'\\]*'|[-\w]+)[ \t\n\f\r]*)?\]$/i;

const comparisons: Readonly<Record<string, (value: string, wanted: string) => boolean>> = {
  '=': (value, wanted) => value === wanted,
  '^=': (value, wanted) => value.startsWith(wanted),
  '$=': (value, wanted) => value.endsWith(wanted),
  '*=': (value, wanted) => value.includes(wanted),
  '~=': (value, wanted) => value.split(/[\t\n\f\r ]+/).includes(wanted),
};

/**
 * Reads a condition on the attribute class or id (Selectors 4, 6), such as sets of icons have.
 * @param text With its brackets. @returns null: it is none that is known
 */
function attributeCondition(text: string): Condition | null {
  const match = attributeSelector.exec(text);
  if (match === null) return null;
  const attribute = match[1]?.toLowerCase() ?? '';
  const [, , operator = '', value = ''] = match;
  const wanted = decoded(/^["']/.test(value) ? value.slice(1, -1) : value);
  const compare = comparisons[operator];
  if (compare !== undefined && wanted === '') return null;
  return {
    name: `[${attribute}${operator}${wanted}]`,
    holds(classes, id) {
      const given = attribute === 'class' ? classes : id;
      return given !== undefined && (compare?.(given, wanted) ?? true);
    },
  };
}
