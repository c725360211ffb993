// Counts the characters that code examines in strings: those it asks for one by one, and those the engine's searches
// pass over. Work that grows with the square of an input shows in it, whatever else the machine does.

const { charAt, charCodeAt, indexOf } = String.prototype;
const { test } = RegExp.prototype;

/** Characters that a sticky expression has at most examined beyond its match. */
export type Tried = (text: string, from: number, expression: RegExp) => number;

/** @returns Characters examined by `run`. */
export function examined(run: () => void, tried: Tried = charactersOfTag): number {
  let count = 0;
  String.prototype.charCodeAt = function (index) {
    count++;
    return charCodeAt.call(this, index);
  };
  String.prototype.charAt = function (index) {
    count++;
    return charAt.call(this, index);
  };
  String.prototype.indexOf = function (sought, from = 0) {
    const index = indexOf.call(this, sought, from);
    count += (index === -1 ? this.length : index + sought.length) - from;
    return index;
  };
  RegExp.prototype.test = function (text) {
    const from = this.lastIndex;
    const isFound = test.call(this, text);
    count += (isFound ? this.lastIndex : text.length) - from;
    if (this.sticky) count += tried(text, this.lastIndex, this);
    return isFound;
  };
  try {
    run();
  } finally {
    Object.assign(String.prototype, { charAt, charCodeAt, indexOf });
    RegExp.prototype.test = test;
  }
  return count;
}

/** To the end of the next tag, if the next `<` begins one. */
function charactersOfTag(text: string, from: number): number {
  const open = indexOf.call(text, '<', from);
  if (open === -1) return text.length - from;
  const isTag = test.call(/[A-Za-z]/, text.slice(open + 1, open + 3));
  const end = isTag ? indexOf.call(text, '>', open) : open + 1;
  return (end === -1 ? text.length : end) - from;
}
