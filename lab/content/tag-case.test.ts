import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { parse, serialize } from 'parse5';
import { describe, expect, it } from 'vitest';
import { microscapeDir } from '../../fixtures/index.ts';
import { tagCases } from './tag-case.ts';

const html = readFileSync(join(microscapeDir, 'index.html'), 'utf8');
const cases = tagCases(html);
const ratioOf = (name: string) => {
  const bytes = Buffer.from(cases.find((one) => one.name.startsWith(name))?.html ?? '');
  return deflateSync(bytes).length / bytes.length;
};

describe('tags in other cases', () => {
  it.each(cases)('$name: the same document, for a parser', ({ html: other }) => {
    expect(serialize(parse(other))).toBe(serialize(parse(html)));
  });

  it('are in the case that the name says, values and scripts apart', () => {
    const [upper, lower] = ['upper', 'lower'].map(
      (name) => cases.find((one) => one.name.startsWith(name))?.html as string,
    );
    expect(upper).toContain('<BODY BGCOLOR="#ffffff" TEXT="#000000"');
    expect(upper).toContain('<AREA SHAPE=rect COORDS="0,0,339,60"');
    expect(upper).toContain('function tick() {');
    expect(upper).not.toMatch(/<\/?[a-z]/);
    expect(lower).toContain('onload="tick()"');
  });

  it('are drawn from a seed', () => expect(tagCases(html)).toEqual(cases));

  it('compress best in lower case, clearly worse in mixed case (Nielsen et al. 1997)', () => {
    expect(ratioOf('lower')).toBeLessThanOrEqual(ratioOf('as it is'));
    expect(ratioOf('lower')).toBeLessThan(ratioOf('upper'));
    expect(ratioOf('mixed: each name upper or')).toBeGreaterThan(ratioOf('lower') * 1.15);
    expect(ratioOf('mixed: each letter')).toBeGreaterThan(ratioOf('lower') * (0.35 / 0.27));
  });
});
