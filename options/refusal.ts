// What a wrong option is told, in one form for programs, flags, files and requests: `threshold must be a number from 0
// to 2, not 7`. Each kind of value brings its rule (kinds.ts); here it becomes a sentence with the place and the value,
// which is cut short, and never shown where it is secret.

import type { BaseIssue } from 'valibot';

/** What was expected, as the library says it. */
type Wrong = Pick<BaseIssue<unknown>, 'kind' | 'expected' | 'input'>;

const mostCharacters = 60;

/** Of a value that is refused. */
export function mustBe(rule: string): (issue: Wrong) => string {
  return ({ kind, expected, input }) => {
    if (input === undefined) return `must be ${rule}, but is missing`;
    const isTextWanted = kind !== 'schema' || /string|unknown|"/.test(expected ?? '');
    return `must be ${rule}, not ${shown(input, isTextWanted)}`;
  };
}

/** The same sentence for what no table can say: how options go together, what is in a certificate. */
export function refusal(place: string, rule: string, value: unknown): string {
  return `${place} ${mustBe(rule)({ kind: 'schema', expected: 'string', input: value })}`;
}

/** The rule alone, for whoever shows the value himself: `It must be a number from 0 to 2`. */
export function withoutValue(sentence: string): string {
  const [rule = ''] = sentence.split(', not ');
  return rule;
}

/** Of a value that nobody should read in a log. */
export function mustBeUnshown(rule: string): () => string {
  return () => `must be ${rule}`;
}

/** @param isTextWanted false: that it is a string is what is wrong with it */
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

/** Of a name that is not known: the one that may be meant, or all there are. */
export function unknownName(name: string, known: readonly string[]): string {
  const near = nearest(name, known);
  if (near !== undefined) return `is unknown; did you mean ${near}?`;
  return `is unknown; there are ${known.length === 0 ? 'none' : known.join(', ')}`;
}

/** The name with the fewest letters to change, if they are few; capitals do not count. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  const least = name.slice(0, mostCharacters).toLowerCase();
  const distances = known.map((each) => ({ each, changes: changesTo(each.toLowerCase(), least) }));
  const [best] = distances.sort((one, other) => one.changes - other.changes);
  if (best === undefined || best.changes > Math.ceil(best.each.length / 4)) return undefined;
  return best.each;
}

/** Letters to add, leave out or replace (Levenshtein), row by row. */
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

/** `deny.extra[1]`; the names of an object that is nobody's option are shown as they are written. */
export function placeOf(path: ReadonlyArray<{ key?: unknown }> = []): string {
  return path.reduce((place, { key }) => {
    if (typeof key === 'number') return `${place}[${key}]`;
    const name = String(key).slice(0, mostCharacters);
    return place === '' ? name : `${place}.${name}`;
  }, '');
}
