// Reads Structured Fields (RFC 9651): items, lists and dictionaries. A field with a fault anywhere is null as a whole.
// Every function is linear in its input; none throws.

/** Holds a token, a date or a display string, as the field writes it. */
export class WrittenItem {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type BareItem = string | number | boolean | Buffer | WrittenItem;

export interface Item {
  /** The value of the item; an array stands for an inner list. */
  value: BareItem | readonly Item[];
  parameters: ReadonlyMap<string, BareItem>;
}

export function parseItem(field: string): Item | null {
  return whole(field, item);
}

export function parseList(field: string): readonly Item[] | null {
  return whole(field, (take) => members(take, () => member(take)));
}

export function parseDictionary(field: string): ReadonlyMap<string, Item> | null {
  return whole(field, (take) => new Map(members(take, () => pair(take))));
}

/** Reads on in the field: returns the text that the pattern matches where reading stopped; null: it does not match. */
type Take = (pattern: RegExp) => RegExpExecArray | null;

function whole<Result>(field: string, read: (take: Take) => Result): Result | null {
  let at = 0;
  const take: Take = (pattern) => {
    pattern.lastIndex = at;
    const taken = pattern.exec(field);
    at += taken?.[0].length ?? 0;
    return taken;
  };
  try {
    take(/ */y);
    const result = read(take);
    take(/ */y);
    return at === field.length ? result : null;
  } catch {
    return null;
  }
}

function must(take: Take, pattern: RegExp): RegExpExecArray {
  const taken = take(pattern);
  if (taken === null) throw new Error('malformed');
  return taken;
}

function members<Result>(take: Take, read: () => Result): Result[] {
  const found: Result[] = [];
  if (take(/$/y) !== null) return found;
  do {
    found.push(read());
    take(/[ \t]*/y);
  } while (take(/,[ \t]*/y) !== null);
  return found;
}

function pair(take: Take): [string, Item] {
  const [name] = must(take, key);
  return [name, take(/=/y) ? member(take) : { value: true, parameters: parameters(take) }];
}

function member(take: Take): Item {
  if (!take(/\( */y)) return item(take);
  const value: Item[] = [];
  while (!take(/\)/y)) {
    value.push(item(take));
    must(take, / +|(?=\))/y);
  }
  return { value, parameters: parameters(take) };
}

function item(take: Take): Item {
  return { value: bareItem(take), parameters: parameters(take) };
}

function parameters(take: Take): Map<string, BareItem> {
  const found = new Map<string, BareItem>();
  while (take(/; */y)) {
    const [name] = must(take, key);
    found.set(name, take(/=/y) ? bareItem(take) : true);
  }
  return found;
}

const key = /[a-z*][a-z0-9_\-.*]*/y;
const forms = [
  /"(?<text>(?:[ !#-[\]-~]|\\["\\])*)"/,
  /(?<number>-?(?:\d{1,12}\.\d{1,3}|\d{1,15}))(?![\d.])/,
  /\?(?<truth>[01])/,
  /:(?<bytes>(?:[A-Za-z\d+/]{4})*(?:[A-Za-z\d+/]{2}(?:==)?|[A-Za-z\d+/]{3}=?)?):/,
  /%"(?<display>(?:[ !#$&-~]|%[\da-f]{2})*)"/,
  /(?<word>[A-Za-z*][\w!#$%&'*+\-.^`|~:/]*|@-?\d{1,15}(?![\d.]))/,
];
const anyForm = new RegExp(forms.map(({ source }) => source).join('|'), 'y');

function bareItem(take: Take): BareItem {
  const { text, number, truth, bytes, display, word = '' } = must(take, anyForm).groups ?? {};
  if (text !== undefined) return text.replace(/\\(.)/g, '$1');
  if (number !== undefined) return Number(number);
  if (truth !== undefined) return truth === '1';
  if (bytes !== undefined) return Buffer.from(bytes, 'base64');
  // This throws if the escapes of a display string are not UTF-8.
  return new WrittenItem(display === undefined ? word : decodeURIComponent(display));
}
