// Messages for wrong options, the same for programs, flags, files and requests: `threshold must be a number from 0 to
// 2, not 7`. Each kind of option provides its rule in words (kinds.ts); here it is combined with the name of the option
// and the value, which is shortened, and omitted if secret.

const mostCharacters = 60;

export interface Refusal {
  /** What a value must be, for callers that show the value themselves: `must be a number from 0 to 2`. */
  rule: string;
  /** The rule and the refused value: `must be a number from 0 to 2, not 7`. */
  message: string;
}

/** Refuses a value, which is not named if the rule names its type: `must be an object with key and cert`.
 *  @param isTextWanted False: a text is shown as `the string "7"` */
export function mustBe(wanted: string, value: unknown, isTextWanted = true): Refusal {
  const rule = `must be ${wanted}`;
  if (value === undefined) return { rule, message: `${rule}, but is missing` };
  const what = shown(value, isTextWanted);
  const isSaid = typeof value === 'object' && wanted.includes(what);
  return { rule, message: isSaid ? rule : `${rule}, not ${what}` };
}

/** Returns the arguments of a `Fail` (options.ts) for a value that no table of options refuses (certificates). */
export function refusal(option: string, rule: string, value: unknown) {
  return about(option, mustBe(rule, value).message);
}

/** Returns the arguments of a `Fail` for a rule that concerns more than the value of one option. */
export function about(
  option: string,
  reason: string,
): [sentence: string, option: string, reason: string] {
  return [`${option} ${reason}`, option, reason];
}

/** Writes a value for a message: a text is shortened, and an object is not shown. @param isTextWanted see `mustBe` */
export function shown(value: unknown, isTextWanted = true): string {
  if (typeof value === 'string') {
    const isLong = value.length > mostCharacters;
    const text = JSON.stringify(isLong ? `${value.slice(0, mostCharacters)}...` : value);
    return isTextWanted ? text : `the string ${text}`;
  }
  if (typeof value === 'function') return 'a function';
  if (typeof value !== 'object' || value === null) return String(value);
  return Array.isArray(value) ? 'a list' : 'an object';
}

/** Returns the message for an unknown name: it suggests the name that was probably meant, or lists all known names. */
export function unknownName(name: string, known: readonly string[]): string {
  const near = nearest(name, known);
  if (near !== undefined) return `is unknown; did you mean ${near}?`;
  return `is unknown; there are ${known.length === 0 ? 'none' : known.join(', ')}`;
}

/** Returns the known name with the fewest edits from `name`, if these are few; case is ignored. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  const least = name.slice(0, mostCharacters).toLowerCase();
  const distances = known.map((each) => ({ each, changes: changesTo(each.toLowerCase(), least) }));
  const [best] = distances.sort((one, other) => one.changes - other.changes);
  if (best === undefined || best.changes > Math.ceil(best.each.length / 4)) return undefined;
  return best.each;
}

/** Counts the edits from one word to the other: letters added, removed or replaced (Levenshtein), row by row. */
function changesTo(wanted: string, given: string): number {
  let row = Array.from({ length: given.length + 1 }, (_, column) => column);
  for (const [index, letter] of [...wanted].entries()) {
    const next = [index + 1];
    for (let column = 1; column < row.length; column++) {
      const isSame = given[column - 1] === letter;
      const replaced = (row[column - 1] as number) + (isSame ? 0 : 1);
      next.push(Math.min(replaced, (row[column] as number) + 1, (next[column - 1] as number) + 1));
    }
    row = next;
  }
  return row.at(-1) as number;
}

/** Writes an option's path in nested options as `deny.extra[1]`; an unknown key is shown as written, but shortened. */
export function placeOf(path: readonly (string | number)[] = []): string {
  return path.reduce<string>((place, key) => {
    if (typeof key === 'number') return `${place}[${key}]`;
    const name = key.slice(0, mostCharacters);
    return place === '' ? name : `${place}.${name}`;
  }, '');
}
