import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import type { PageLoad } from '../../../loader/page-load.ts';
import { colors } from '../../../loader/report/svg.ts';
import { formatMs } from '../../../loader/report/units.ts';
import { renderWaterfallSvg } from '../../../loader/report/waterfall-svg.ts';
import fc from '../../support/property.ts';
import { anyPageLoad } from './page-load-arbitrary.ts';
import { pageLoad, resource } from './page-load-builder.ts';
import { broken, hostile, sampleLoads } from './sample-loads.ts';
import { elementsOf } from './svg-elements.ts';

function sample(name: string): PageLoad {
  const load = sampleLoads[name];
  if (load === undefined) throw new Error(name);
  return load;
}

describe('renderWaterfallSvg', () => {
  /** @throws for what is not well-formed */
  const rendered = async (svg: string) => {
    const { format, width } = await sharp(Buffer.from(svg)).metadata();
    expect({ format, width }).toEqual({ format: 'svg', width: 1000 });
  };

  it('is an image to a renderer, which reads XML strictly', async () => {
    for (const load of Object.values(sampleLoads)) await rendered(renderWaterfallSvg(load));
    const svg = renderWaterfallSvg(hostile());
    for (const [from, to] of [
      ['&#38;', '& '],
      ['</g>', ''],
      ['evil', '\u0001'],
    ] as const) {
      expect(svg).toContain(from);
      await expect(rendered(svg.replace(from, to))).rejects.toThrow();
    }
  });

  it('is one for any page load, made of our own elements and attributes only', async () => {
    const known = /^(svg|title|desc|style|g|rect|line|path|text)$/;
    const knownAttributes =
      /^(xmlns|class|width|height|viewBox|role|aria-labelledby|id|x[12]?|y[12]?|rx|d)$/;
    await fc.assert(
      fc.asyncProperty(anyPageLoad, async (load) => {
        const svg = renderWaterfallSvg(load);
        await rendered(svg);
        for (const { name, attributes } of elementsOf(svg)) {
          expect(name).toMatch(known);
          for (const attribute of Object.keys(attributes)) {
            expect(attribute).toMatch(knownAttributes);
          }
        }
      }),
    );
  });

  it('loads nothing from elsewhere and runs nothing', () => {
    const svg = renderWaterfallSvg(hostile());
    expect(svg).not.toMatch(/<script|href|url\(|@import|\son\w+=/i);
  });

  it('has one row a resource, each with its figures as a tooltip', () => {
    for (const name of ['small', 'pipelined', 'huge']) {
      const load = sample(name);
      const elements = elementsOf(renderWaterfallSvg(load));
      const rows = elements.filter(({ attributes }) => attributes.class === 'row');
      expect(rows).toHaveLength(load.resources.length);
      expect(elements.filter((e) => e.name === 'title')).toHaveLength(load.resources.length + 1);
    }
  });

  it('says of a row that it came in the response of the page', () => {
    const part = resource({ attempts: 0, connection: 1, partOf: 'http://localhost:8080/' });
    const svg = renderWaterfallSvg(pageLoad({ resources: [resource(), part] }));
    expect(svg.match(/part of the response of http:\/\/localhost:8080\//g)).toHaveLength(1);
  });

  it('draws the phases of a row left to right without overlap', () => {
    const phase = /^(queued|connect|waiting|receiving|cache)$/;
    for (const load of Object.values(sampleLoads)) {
      let rowBottom = 0;
      let end = 0;
      for (const { attributes } of elementsOf(renderWaterfallSvg(load))) {
        const [x, y, width, height] = ['x', 'y', 'width', 'height'].map((name) =>
          Number(attributes[name] ?? 0),
        ) as [number, number, number, number];
        if (attributes.class === 'hit') {
          rowBottom = y + height;
          end = 0;
        } else if (phase.test(attributes.class ?? '') && y < rowBottom) {
          expect(x).toBeGreaterThanOrEqual(end - 0.02);
          end = x + width;
          expect(end).toBeLessThanOrEqual(1000);
        }
      }
    }
  });

  it('marks the five milestones and each write', () => {
    const elements = elementsOf(renderWaterfallSvg(sample('pipelined')));
    const classes = elements.map(({ attributes }) => attributes.class ?? '');
    expect(classes.filter((name) => /^mark m[0-4]$/.test(name))).toHaveLength(5);
    expect(classes.filter((name) => name === 'batch')).toHaveLength(5); // The first is of one row.
  });

  it('milestones on one spot share a line and a label', () => {
    const resources = [resource({ requestStartMs: 1, responseStartMs: 20, responseEndMs: 90 })];
    const moments = { htmlEndMs: 50, sizesKnownMs: 89.99, completeMs: 90 };
    const elements = elementsOf(renderWaterfallSvg(pageLoad({ resources, moments })));
    const marks = elements.filter(({ attributes }) => /^mark /.test(attributes.class ?? ''));
    const looks = marks.map(({ attributes }) => attributes.class).sort();
    expect(looks).toEqual(['mark m0', 'mark m1', 'mark m4']);
    const words = elements.map(({ characters }) => characters);
    expect(words).toContain('sizes known, complete 90.0 ms');
  });

  it('says of each row when it ended, or what went wrong, in one column', () => {
    const load = broken();
    const elements = elementsOf(renderWaterfallSvg(load));
    const head = elements.find(({ characters }) => characters === 'end');
    const column = elements.filter(
      ({ name, attributes }) => name === 'text' && attributes.x === head?.attributes.x,
    );
    expect(column.map(({ characters }) => characters)).toEqual([
      'end',
      ...load.resources.map(({ error, responseEndMs }) => error?.code ?? formatMs(responseEndMs)),
    ]);
    expect(column.map(({ characters }) => characters)).toContain('connection-lost');
  });

  it('labels every line of the grid, above and below', () => {
    fc.assert(
      fc.property(anyPageLoad, (load) => {
        const elements = elementsOf(renderWaterfallSvg(load));
        const labels = elements.filter(({ characters }) => /^(0|[\d.]+ m?s)$/.test(characters));
        for (const { attributes } of elements.filter((e) => e.attributes.class === 'grid')) {
          const own = labels.filter(({ attributes: { x } }) => x === attributes.x1);
          expect(own.length).toBeGreaterThanOrEqual(2);
        }
      }),
      // The last label is as far right as can be, and the column beside it as narrow.
      { examples: [[pageLoad({ resources: [resource()], moments: { completeMs: 0.1 } })]] },
    );
  });

  it('shows what came in no time', () => {
    const rows = [0, 20, 40].map((ms) =>
      resource({ startMs: ms, responseEndMs: ms, fromCache: true }),
    );
    const svg = renderWaterfallSvg(pageLoad({ resources: rows }));
    const bars = elementsOf(svg).filter(({ attributes }) => attributes.class === 'cache');
    expect(bars).toHaveLength(1 + rows.length); // One is of the legend.
  });
});

describe('the colours', () => {
  const isText = /^(text|muted|bad|m\d)$/;
  const isGround = /^(bg|plate|stripe|hit|grid)$/;
  it.each([['light', 0] as const, ['dark', 1] as const])('contrast in %s', (_, mode) => {
    for (const ground of [colors.bg, colors.stripe]) {
      for (const [name, color] of Object.entries(colors)) {
        if (isGround.test(name)) continue;
        const least = isText.test(name) ? 4.5 : 3; // WCAG 2.2, 1.4.3 and 1.4.11
        expect(contrast(color[mode], ground?.[mode] ?? ''), name).toBeGreaterThanOrEqual(least);
      }
    }
  });
});

/** WCAG 2.2, contrast ratio. */
function contrast(a: string, b: string): number {
  const [lighter = 0, darker = 0] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (lighter + 0.05) / (darker + 0.05);
}

function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
