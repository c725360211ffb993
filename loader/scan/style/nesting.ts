// Limits the nesting of brackets in a text: csstools' parser throws on nesting deeper than 512, which no page has.

const deepest = 32;

export function isTooDeep(text: string): boolean {
  let depth = 0;
  for (const character of text) {
    if ('([{'.includes(character)) depth++;
    else if (')]}'.includes(character)) depth--;
    if (depth > deepest) return true;
  }
  return false;
}
