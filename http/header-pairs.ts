// A header section as a list of pairs in line order, with names in any case (RFC 9110 5.1), and the functions that
// look up a field in it. Several lines of one field are one list (5.3), unless the field has one value. Every function
// is linear. Lengths are compared before letters, since each message is searched for a dozen fields.

export type HeaderPair = [name: string, value: string];

/** Returns the values of a field, one for each of its lines, trimmed. @param name In lower case. */
export function fieldLines(headers: readonly HeaderPair[], name: string): string[] {
  const lines: string[] = [];
  for (const [key, value] of headers) if (isNamed(key, name)) lines.push(value.trim());
  return lines;
}

/** Returns all lines of a field, joined by commas; '' if it is absent. @param name In lower case. */
export function fieldValue(headers: readonly HeaderPair[], name: string): string {
  return fieldLines(headers, name).join(', ');
}

/**
 * Returns the value of a single-valued field: equal lines count as one; if lines differ, none is trusted (RFC 9110
 * 5.3).
 * @param name In lower case.
 * @returns '' if it is absent, null if the lines differ
 */
export function soleValue(headers: readonly HeaderPair[], name: string): string | null {
  const [value = '', ...others] = new Set(fieldLines(headers, name));
  return others.length === 0 ? value : null;
}

/** Returns whether the section has the field. @param name In lower case. */
export function hasField(headers: readonly HeaderPair[], name: string): boolean {
  return headers.some(([key]) => isNamed(key, name));
}

/** Returns the pairs with `value` as the only line of the field. @param name As it is to be sent, in any case. */
export function withField(
  headers: readonly HeaderPair[],
  name: string,
  value: string,
): HeaderPair[] {
  return [...withoutFields(headers, new Set([name.toLowerCase()])), [name, value]];
}

/** Returns the pairs without the fields of these names. @param names In lower case. */
export function withoutFields(
  headers: readonly HeaderPair[],
  names: ReadonlySet<string>,
): HeaderPair[] {
  return headers.filter(([key]) => !names.has(key.toLowerCase()));
}

/** Returns whether `key`, in any letter case, equals `name`. @param name In lower case. */
export function isNamed(key: string, name: string): boolean {
  return key.length === name.length && key.toLowerCase() === name;
}
