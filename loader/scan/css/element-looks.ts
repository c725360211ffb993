// What an element has of itself, the same for all that look alike. A page has few looks and many elements, so that what
// selectors name is made once for each look.

import type { Condition } from './selector-use.ts';

/** What a tag says about its element. */
export interface ElementNames {
  /** In lower case. */
  readonly type: string;
  readonly classes?: string | undefined;
  readonly id?: string | undefined;
  /** Elements with different style attributes differ. */
  readonly style?: string | undefined;
  readonly isFirst?: boolean;
}

export interface ElementLook extends ElementNames {
  /** What compounds of selectors name. */
  readonly names: Set<string>;
}

/** Of one type in one position. */
interface LooksOfType {
  /** Of elements without class, id and style. */
  plain: ElementLook | null;
  /** By these three. No value of an attribute has U+0000. */
  readonly others: Map<string, ElementLook>;
}

/** Of one page. */
const most = 20_000;
/** Of the classes of one element. */
const mostClasses = 256;

export class ElementLooks {
  /** By position: whether it is the first in its parent, and whether it has one. */
  readonly #byType = Array.from({ length: 4 }, () => new Map<string, LooksOfType>());
  readonly #conditions: ReadonlyMap<string, Condition>;
  #count = 0;

  /** @param conditions whose names are among those of elements */
  constructor(conditions: ReadonlyMap<string, Condition>) {
    this.#conditions = conditions;
  }

  /** @returns null: there are too many */
  of(element: ElementNames, isRoot: boolean): ElementLook | null {
    const { type, classes, id, style, isFirst = false } = element;
    const byType = this.#byType[Number(isFirst) + 2 * Number(isRoot)] as Map<string, LooksOfType>;
    let looks = byType.get(type);
    if (looks === undefined) {
      if (this.#count >= most) return null;
      looks = { plain: null, others: new Map() };
      byType.set(type, looks);
    }
    if (id !== undefined || style !== undefined)
      return this.#in(looks, keyOf(element), element, isRoot);
    if (classes !== undefined) return this.#in(looks, classes, element, isRoot);
    looks.plain ??= this.#make(element, isRoot);
    return looks.plain;
  }

  #in({ others }: LooksOfType, key: string, element: ElementNames, isRoot: boolean) {
    let look = others.get(key) ?? null;
    if (look === null) {
      look = this.#make(element, isRoot);
      if (look !== null) others.set(key, look);
    }
    return look;
  }

  #make(element: ElementNames, isRoot: boolean): ElementLook | null {
    if (this.#count >= most) return null;
    this.#count++;
    const { type, classes, id, style, isFirst = false } = element;
    const names = namesOf(element, isRoot);
    for (const condition of this.#conditions.values()) {
      if (condition.holds(classes, id)) names.add(condition.name);
    }
    return { type, classes, id, style, isFirst, names };
  }
}

const keyOf = ({ classes, id, style }: ElementNames): string =>
  `\0${classes ?? '\0'}\0${id ?? '\0'}\0${style ?? '\0'}`;

function namesOf({ type, classes, id, isFirst }: ElementNames, isRoot: boolean): Set<string> {
  const names = new Set([type]);
  if (id) names.add(`#${id}`);
  if (classes !== undefined) {
    for (const each of classes.split(/[\t\n\f\r ]+/, mostClasses)) {
      if (each !== '') names.add(`.${each}`);
    }
  }
  if (isFirst) names.add(':first-child');
  if (isRoot) names.add(':root');
  if (type === 'a' || type === 'area') names.add(':link');
  return names.add('*');
}
