// Reading is linear work in every chunking. Work is counted in characters that are looked at or copied.

import { describe, expect, it } from 'vitest';
import { Tokenizer } from '../../../../loader/scan/tokenizer.ts';

const { charCodeAt, slice } = String.prototype;

function workOf(html: string, size: number): number {
  let count = 0;
  const tokenizer = new Tokenizer({ onStartTag() {}, onText() {} });
  const chunks = Array.from({ length: Math.ceil(html.length / size) }, (_, at) =>
    html.slice(at * size, (at + 1) * size),
  );
  String.prototype.charCodeAt = function (index) {
    count++;
    return charCodeAt.call(this, index);
  };
  String.prototype.slice = function (start, end) {
    const part = slice.call(this, start, end);
    count += part.length;
    return part;
  };
  try {
    for (const chunk of chunks) tokenizer.write(chunk);
    tokenizer.end();
  } finally {
    Object.assign(String.prototype, { charCodeAt, slice });
  }
  return count;
}

const length = 150_000;
const filled = (unit: string) => unit.repeat(Math.ceil(length / unit.length));

describe('each character is examined a few times at most', () => {
  it.each([
    ['a data: URL', `<img src="data:,${filled('x')}">`],
    ['an unclosed attribute, full of tags', `<p class="${filled('<img src=a>')}`],
    ['an unquoted attribute', `<p class=${filled('x')}`],
    ['an unclosed comment of almost ends', `<!--${filled('--!->')}`],
    ['an unclosed CDATA section', `<![CDATA[${filled(']')}`],
    ['an unclosed tag of attributes', `<p ${filled('a=b ')}`],
    ['spaces in a tag', `<p${filled(' ')}`],
    ['a tag name', `<${filled('x')}`],
    ['= signs', `<p ${filled('=')}`],
    ['character references', filled('&am;&#')],
    ['<', filled('<')],
    ['tags', filled('<p></p>')],
    ['a script of almost ends', `<script>${filled('</scrip')}`],
    ['a title', `<title>${filled('</titl&')}`],
  ])('%s', (_, html) => {
    for (const size of [html.length, 1_460, 7]) {
      expect(workOf(html, size), `chunks of ${size}`).toBeLessThan(6 * html.length);
    }
  });
});

it.each([
  ['a value', `<p class="${'x'.repeat(2 ** 23)}">`],
  ['attributes', `<p ${'a="b" '.repeat(500_000)}>`],
  ['a name', `<p${'p'.repeat(2 ** 23)}`],
  ['tags', '<p a=b>'.repeat(500_000)],
])('no stack overflows: %s in one chunk', (_, html) => {
  const tags = new Set<string>();
  const tokenizer = new Tokenizer({ onStartTag: ({ name }) => tags.add(name) });
  tokenizer.write(html);
  tokenizer.end();
  expect(tags.size).toBeLessThanOrEqual(1);
});
