// Parses the srcset attribute (HTML 4.8.4.3.10, "parsing a srcset attribute") in linear time.

export interface ImageCandidate {
  /** URL as written. */
  url: string;
  /** Width descriptor, as in 480w; null: none. */
  width: number | null;
  /** Pixel density descriptor, as in 2x; null: none. */
  density: number | null;
}

const space = /[\t\n\f\r ]/;
const spacesAndCommas = /[\t\n\f\r ,]*/y;
const notSpaces = /[^\t\n\f\r ]+/y;
const spaces = /[\t\n\f\r ]*/y;

/** The candidates in document order, except those with invalid descriptors. */
export function parseSrcset(text: string): ImageCandidate[] {
  const candidates: ImageCandidate[] = [];
  let at = endOf(spacesAndCommas, text, 0);
  while (at < text.length) {
    const urlEnd = endOf(notSpaces, text, at);
    const written = text.slice(at, urlEnd);
    const url = withoutTrailingCommas(written);
    let descriptors: string[] = [];
    at = urlEnd;
    if (url === written) {
      const read = readDescriptors(text, at);
      descriptors = read.descriptors;
      at = read.end;
    }
    const candidate = candidateOf(url, descriptors);
    if (candidate !== null) candidates.push(candidate);
    at = endOf(spacesAndCommas, text, at);
  }
  return candidates;
}

/** Reads descriptors up to the comma that ends them; commas in parentheses do not end them. */
function readDescriptors(text: string, start: number): { descriptors: string[]; end: number } {
  const descriptors: string[] = [];
  let at = endOf(spaces, text, start);
  let from = at;
  let isInParentheses = false;
  const push = () => {
    if (at > from) descriptors.push(text.slice(from, at));
  };
  for (; at < text.length; at++) {
    const character = text[at] as string;
    if (isInParentheses) {
      if (character === ')') isInParentheses = false;
    } else if (space.test(character)) {
      push();
      from = at + 1;
    } else if (character === ',') {
      push();
      return { descriptors, end: at + 1 };
    } else if (character === '(') {
      isInParentheses = true;
    }
  }
  push();
  return { descriptors, end: at };
}

const wholeNumber = /^\d+$/;
/** A "valid floating-point number" (HTML 2.3.4.3). */
const floatingPoint = /^-?(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?$/;

/** null: a descriptor or the combination of descriptors is invalid. */
function candidateOf(url: string, descriptors: readonly string[]): ImageCandidate | null {
  let width: number | null = null;
  let density: number | null = null;
  let height: number | null = null;
  for (const descriptor of descriptors) {
    const number = descriptor.slice(0, -1);
    const value = Number(number);
    switch (descriptor.at(-1)) {
      case 'w':
        if (!wholeNumber.test(number) || value === 0 || width !== null || density !== null) {
          return null;
        }
        width = value;
        break;
      case 'x':
        if (!floatingPoint.test(number) || value < 0) return null;
        if (width !== null || density !== null || height !== null) return null;
        density = value;
        break;
      case 'h': // reserved for later, and only beside a width
        if (!wholeNumber.test(number) || value === 0 || height !== null || density !== null) {
          return null;
        }
        height = value;
        break;
      default:
        return null;
    }
  }
  return height !== null && width === null ? null : { url, width, density };
}

function withoutTrailingCommas(text: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === ',') end--;
  return text.slice(0, end);
}

/** @param expression Regular expression with the sticky flag. */
function endOf(expression: RegExp, text: string, start: number): number {
  expression.lastIndex = start;
  return expression.test(text) ? expression.lastIndex : start;
}
