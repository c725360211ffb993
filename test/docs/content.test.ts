// docs/content.md gives bytes of pages; they are those of the files.

import { readFileSync } from 'node:fs';
import { deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { tagCases } from '../../lab/content/tag-case.ts';
import { contentVariants, replacements } from '../../lab/content/variants.ts';

const page = readFileSync(new URL('../../docs/content.md', import.meta.url), 'utf8');
const words = page.replace(/\s+/g, ' ');
const variants = contentVariants();
const number = (value: number) => value.toLocaleString('en-US');

describe('docs/content.md', () => {
  it.each(variants)('gives requests and bytes of $page.path', (variant) => {
    const images = variant.stillBytes + variant.animatedBytes;
    const deflated = deflateSync(variant.html).length;
    const cells = [variant.page.images + 1, deflated, images, deflated + images].map(number);
    const row = page.split('\n').find((line) => line.startsWith(`| \`${variant.page.path}\` |`));
    expect(row?.endsWith(`| ${cells.join(' | ')} |`), row).toBe(true);
  });

  it('gives what was replaced, and what PNG saved', () => {
    const { gifBytes, htmlAndCssBytes } = replacements();
    expect(words).toContain(
      `22 images of ${number(gifBytes)} bytes become ${number(htmlAndCssBytes)}`,
    );
    const png = variants.find(({ name }) => name === 'png');
    expect(words).toContain(`103,299 bytes become ${number(png?.stillBytes ?? 0)}`);
    expect(words).toContain(`24,988 bytes become ${number(png?.animatedBytes ?? 0)}`);
  });

  it('gives what the case of tags costs', () => {
    const ratios = tagCases(String(variants[0]?.html)).map(({ html }) => {
      return (deflateSync(Buffer.from(html)).length / html.length).toFixed(3);
    });
    const [lower, , upper, mixedNames, , mixedLetters] = ratios;
    for (const [name, ratio] of [
      ['lower case', lower],
      ['upper case', upper],
      ['each name upper or lower, by chance', mixedNames],
      ['each letter upper or lower, by chance', mixedLetters],
    ]) {
      expect(page).toContain(`| ${name} | ${ratio} |`);
    }
  });
});
