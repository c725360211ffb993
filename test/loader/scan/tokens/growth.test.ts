// Reading is linear work in every chunking, and what nobody wants is not kept. Work is counted in characters examined.

import { describe, expect, it } from 'vitest';
import { contentModelOf } from '../../../../loader/scan/tokens/content-model.ts';
import { type StartTag, Tokenizer } from '../../../../loader/scan/tokens/tokenizer.ts';
import { examined } from './work.ts';

const attributes = new Set(['src']);

function* cut(text: string, size: number): Iterable<string> {
  for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size);
}

function read(html: string, size: number): { tags: StartTag[]; text: number; work: number } {
  const tags: StartTag[] = [];
  let text = 0;
  const tokenizer = new Tokenizer(
    {
      onStartTag(tag) {
        tags.push(tag);
        tokenizer.switchTo(contentModelOf(tag.name), true);
      },
      onText: (piece) => {
        text += piece.length;
      },
    },
    { attributes },
  );
  const chunks = [...cut(html, size)];
  const work = examined(() => {
    for (const chunk of chunks) tokenizer.write(chunk);
    tokenizer.end();
  });
  return { tags, text, work };
}

const length = 150_000;
const filled = (unit: string) => unit.repeat(Math.ceil(length / unit.length));

describe('each character is examined a few times at most', () => {
  it.each([
    ['a data: URL in a wanted attribute', `<img src="data:,${filled('x')}">`],
    ['a data: URL in another attribute', `<img alt="${filled('x')}">`],
    ['an attribute of a tag that is not wanted', `<p class="${filled('x')}">`],
    ['an unclosed quoted attribute', `<p class="${filled('x')}`],
    ['an unclosed quoted attribute, full of tags', `<p class="${filled('<img src=a>')}`],
    ['an unquoted attribute', `<p class=${filled('x')}`],
    ['a comment', `<!--${filled('x')}-->`],
    ['an unclosed comment of almost ends', `<!--${filled('--!->')}`],
    ['an unclosed CDATA section', `<![CDATA[${filled(']')}`],
    ['an unclosed tag of attributes', `<p ${filled('a=b ')}`],
    ['an unclosed tag of quoted attributes', `<p ${filled('a="b"')}`],
    ['an unclosed wanted tag', `<img ${filled('a ')}`],
    ['spaces in a tag', `<p${filled(' ')}`],
    ['spaces after an attribute', `<p a${filled(' ')}`],
    ['a tag name', `<${filled('x')}`],
    ['an attribute name', `<img ${filled('x')}`],
    ['= signs', `<p ${filled('=')}`],
    ['quotation marks', `<p ${filled('"')}`],
    ['100,000 <', '<'.repeat(100_000)],
    ['100,000 </', '</'.repeat(100_000)],
    ['tags', filled('<p>')],
    ['wanted tags', filled('<img src=a>')],
    ['end tags', filled('</p>')],
    ['tags that begin in tags', filled('<p x="')],
    ['text', filled('x')],
    ['a script', `<script>${filled('a<b')}`],
    ['a script that is escaped', `<script><!--${filled('-<script>')}`],
    ['a script of almost ends', `<script>${filled('</scrip')}`],
    ['a title', `<title>${filled('</titl')}`],
    ['plain text', `<plaintext>${filled('</plaintext>')}`],
  ])('%s', (_, html) => {
    for (const size of [html.length, 1_460, 7]) {
      expect(read(html, size).work, `chunks of ${size}`).toBeLessThan(6 * html.length);
    }
  });
});

describe('what is kept', () => {
  const longest = 64 * 1024;

  it.each([longest, 1_460, 7])('a value of 64 Ki characters, in chunks of %i', (size) => {
    const value = 'x'.repeat(longest);
    const [tag] = read(`<img src="${value}" src=b>`, size).tags;
    expect([tag?.attributes.get('src') === value, tag?.tooLong]).toEqual([true, []]);
  });

  it.each([1e6, 1_460, 7])('a longer one is reported without it, in chunks of %i', (size) => {
    const [tag, next] = read(`<img src="${'x'.repeat(longest + 1)}" src=b><img src=c>`, size).tags;
    // The second of two attributes with one name does not count (13.2.5.33).
    expect([tag?.attributes.get('src'), tag?.tooLong]).toEqual([undefined, ['src']]);
    expect([next?.attributes.get('src'), next?.tooLong]).toEqual(['c', []]);
  });

  it('text is passed on in pieces as it arrives, and only once', () => {
    expect(read(`<script>${'x'.repeat(longest)}</script>`, 1_460).text).toBe(longest);
  });
});

it.each([
  ['a value', `<p class="${'x'.repeat(2 ** 23)}">`],
  ['an unclosed value', `<p class="${'x'.repeat(2 ** 23)}`],
  ['attributes', `<p ${'a="b" '.repeat(500_000)}>`],
  ['a name', `<p${'p'.repeat(2 ** 23)}`],
  ['spaces', `<p${' '.repeat(2 ** 23)}`],
  ['tags', '<p a=b>'.repeat(500_000)],
])('no stack overflows: %s in one chunk', (_, html) => {
  const tags: string[] = [];
  const tokenizer = new Tokenizer({ onStartTag: ({ name }) => tags.push(name) }, { attributes });
  tokenizer.write(html);
  tokenizer.end();
  expect(new Set(tags).size).toBeLessThanOrEqual(1);
});
