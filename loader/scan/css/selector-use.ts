// What a selector needs of a page.

/**
 * Names that an element must have together: types in lower case, classes with `.`, ids with `#` before, `:first-child`,
 * `:root` and `:link`, and conditions on the attributes class and id (selectors.ts). None: any element.
 */
export type Compound = readonly string[];

export type Combinator = ' ' | '>' | '+' | '~';

/** A condition that gives a name to the elements that fulfil it. */
export interface Condition {
  /** `[class^=icon-]` */
  name: string;
  holds(classes: string | undefined, id: string | undefined): boolean;
}

/** One selector of a list, and the elements that must be in the page for it to match. */
export interface SelectorUse {
  readonly text: string;
  /** At least one; the last is of the element that is selected. */
  readonly compounds: readonly Compound[];
  /** Each between two compounds. */
  readonly combinators: readonly Combinator[];
  /** Before the first compound, in a rule inside another one. */
  readonly leading?: Combinator;
  /** Of the attributes class and id; the page must know them before it is asked. */
  readonly conditions?: readonly Condition[];
  /** Made of what the page knows of its elements. Whether any other one matches is not known. */
  readonly isPlain: boolean;
  /** It selects some of the elements that match, and nobody knows which. */
  readonly isSome: boolean;
  readonly pseudoElement: string | null;
}

/** As one number (Selectors 4, 17). More than a thousand of one kind are counted as a thousand. */
export function specificityOf({ compounds, pseudoElement }: SelectorUse): number {
  let ids = 0;
  let classes = 0;
  let types = pseudoElement === null ? 0 : 1;
  for (const compound of compounds) {
    for (const name of compound) {
      const kind = name.charAt(0);
      if (kind === '#') ids++;
      else if (kind === '.' || kind === ':' || kind === '[') classes++;
      else types++;
    }
  }
  return Math.min(ids, 1000) * 1e8 + Math.min(classes, 1000) * 1e4 + Math.min(types, 1000);
}
