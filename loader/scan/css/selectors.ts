// What a selector list needs of a page (Selectors 4). A selector is plain if it is made of types, classes, ids,
// combinators and pseudo-elements; then it probably matches a page that has all the names.

import { decoded } from './escapes.ts';
import type { SelectorUse } from './found.ts';
import { splitAtCommas, valueTokens } from './value-tokens.ts';

/** Of one rule, its parents multiplied in. */
const most = 64;

const name = '(?:[-\\w\\u0000\\u0080-\\uffff]|\\\\[^\\n\\r\\f]|(?<=\\\\[0-9a-fA-F]{1,6}) )+';
const part = new RegExp(`[ \\t\\n\\f\\r>+~*&]+|([.#]?)(${name})|(::?)(${name})(\\(?)`, 'y');

/** Boxes that an element has without the reader's doing anything. */
const pseudoElements = new Set(
  'before after first-line first-letter marker placeholder'.split(' '),
);
/** Those that are true of elements in a page that was just opened. */
const pseudoClasses = new Set(['root', 'link', 'any-link']);
/** Some element of a type is the first of its type, but not some element of a class. */
const ofType = new Set(['first-of-type', 'last-of-type']);

const boxless = new Set('head title meta link style script base template'.split(' '));

/** @param parents Those of the rule around; null: there is none */
export function selectorUses(
  prelude: string,
  parents: readonly SelectorUse[] | null,
): SelectorUse[] {
  const uses = listOf(prelude.replaceAll('/**/', '')).map(selectorUse);
  if (parents === null) return uses;
  return uses.flatMap((use) => parents.map((parent) => nested(use, parent))).slice(0, most);
}

function listOf(prelude: string): string[] {
  if (!/["'([]/.test(prelude)) return prelude.split(',', most);
  const tokens = valueTokens(prelude);
  if (tokens === null) return [];
  return splitAtCommas(tokens)
    .slice(0, most)
    .map((each) => prelude.slice(each[0]?.start ?? 0, each.at(-1)?.end ?? 0));
}

/** Both must be there (CSS Nesting 1, 3). */
function nested(use: SelectorUse, parent: SelectorUse): SelectorUse {
  const { text, pseudoElement } = use;
  return {
    text: text.includes('&') ? text.replaceAll('&', parent.text) : `${parent.text} ${text}`,
    names: [...parent.names, ...use.names],
    isPlain: use.isPlain && parent.isPlain && parent.pseudoElement === null,
    pseudoElement,
  };
}

function selectorUse(selector: string): SelectorUse {
  const text = selector.trim().replace(/[ \t\n\f\r]+/g, ' ');
  const names: string[] = [];
  let pseudoElement: string | null = null;
  let isPlain = text !== '';
  let isTypeAlone = false;
  part.lastIndex = 0;
  while (isPlain && part.lastIndex < text.length) {
    const match = part.exec(text);
    if (match === null) {
      isPlain = false;
      break;
    }
    const [, mark, word, colons, pseudo, parenthesis] = match;
    if (word !== undefined) {
      names.push(mark === '' ? decoded(word).toLowerCase() : `${mark}${decoded(word)}`);
      isTypeAlone = mark === '';
    } else if (pseudo !== undefined) {
      const called = decoded(pseudo).toLowerCase();
      if (parenthesis !== '') isPlain = false;
      else if (pseudoElements.has(called) && (colons === '::' || /^(?:be|af|fi)/.test(called))) {
        pseudoElement = called;
      } else {
        isPlain =
          colons === ':' && (pseudoClasses.has(called) || (ofType.has(called) && isTypeAlone));
      }
    }
  }
  // By the browser's own sheet they have no box.
  if (isPlain && boxless.has(names.at(-1) ?? '')) isPlain = false;
  return { text, names, isPlain, pseudoElement };
}
