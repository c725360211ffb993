// The rules both terminal reports hold: width, and nothing but printable characters.

import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { renderSummary } from '../../../loader/report/summary.ts';
import { renderWaterfall } from '../../../loader/report/waterfall-text.ts';
import fc from '../../support/property.ts';
import { anyPageLoad } from './page-load-arbitrary.ts';
import { pageLoad, resource } from './page-load-builder.ts';
import { sampleLoads } from './sample-loads.ts';

const reports = { renderSummary, renderWaterfall };
const everyWidth = Array.from({ length: 17 }, (_, i) => 40 + 10 * i);
/** What the reports may write: ASCII, the ellipsis of a clip, the glyphs of the bars. */
const printable = /^[\x20-\x7e\u2026\u00b7\u2591-\u2593\u2588\n]*$/;

describe.each(Object.entries(reports))('%s', (_, render) => {
  it('writes printable characters only, within the width, whatever the network sent', () => {
    fc.assert(
      fc.property(anyPageLoad, fc.integer({ min: 20, max: 200 }), (load, columns) => {
        const written = render(load, { columns, color: false });
        expect(written).toMatch(printable);
        for (const line of written.split('\n')) expect(line.length).toBeLessThanOrEqual(columns);
      }),
      {
        examples: Object.values(sampleLoads).flatMap((load) => everyWidth.map((at) => [load, at])),
      },
    );
  });

  it('a name or an error that a CI system would execute is none (inert)', () => {
    const error = { code: 'malformed-response', message: '::error::x ##vso[x]y' } as const;
    const load = pageLoad({ resources: [resource({ url: 'http://a.example/::error::x', error })] });
    load.url = 'http://a.example/';
    for (const columns of [20, 40, 120]) {
      expect(render(load, { columns, color: false })).not.toMatch(/^\s*::|##\w*\[/m);
    }
  });

  it('colour adds SGR escapes and changes nothing else', () => {
    fc.assert(
      fc.property(anyPageLoad, (load) => {
        const plain = render(load, { columns: 100, color: false });
        const colored = render(load, { columns: 100, color: true });
        expect(stripVTControlCharacters(colored)).toBe(plain);
        // biome-ignore lint/suspicious/noControlCharactersInRegex: the escapes are the point.
        expect(colored.replace(/\x1b\[[\d;]*m/g, '')).toBe(plain);
      }),
    );
  });

  it('ends in one newline, and has no width of 0', () => {
    const written = (columns: number) =>
      render(pageLoad({ resources: [resource()] }), { columns, color: false });
    expect(written(80)).toMatch(/[^\n]\n$/);
    expect(() => written(0)).toThrow(expect.objectContaining({ option: 'columns' }));
  });
});
