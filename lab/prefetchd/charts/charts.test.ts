// How the charts look: nothing cut, nothing hidden, nothing too faint, in light and in dark.

import { beforeAll, describe, expect, it } from 'vitest';
import {
  paperFetchTime,
  paperSweep,
  type SimulationPoint,
  sweep,
  timingModels,
} from '../../../prefetchd/simulate/index.ts';
import { handLog, sizesOf } from '../../../test/prefetchd/simulate/hand-log.ts';
import { charts, frontier } from './charts.ts';
import { toSvg } from './svg.ts';

const visits = Array.from(
  { length: 30 },
  (_, visit) => `
  v${visit} ${visit * 100} /a.html 10000
  v${visit} ${visit * 100 + 9} /${visit % 3}.html 20000`,
);
const trace = handLog(visits.join(''));

describe('charts are legible', () => {
  const svgs = new Map<string, string>();
  beforeAll(async () => {
    const paper = await sweep(trace, { ...paperSweep, models: timingModels, workers: 0 });
    const data = { logName: 'a <log>', paper, others: [] };
    const sizes = [...sizesOf(trace), 160_000];
    for (const { name, spec } of charts({ ...data, fetchTime: paperFetchTime, sizes })) {
      svgs.set(name.replace(/-[a-z].*/, ''), await toSvg(spec));
    }
  });
  const each = (): [string, string][] => [...svgs];
  const svgOf = (name: string): string => svgs.get(name) as string;
  const widthOf = (svg: string): number => Number(/ width="(\d+)"/.exec(svg)?.[1]);

  it("are the paper's figures 10 to 16 and access time over traffic", () => {
    const figures = [10, 11, 12, 13, 14, 15, 16].map((number) => `figure-${number}`);
    expect([...svgs.keys()]).toEqual([...figures, 'access']);
    for (const [name, svg] of each()) {
      expect(svg, name).toContain('a &lt;log&gt;');
      expect(svg, name).not.toMatch(/NaN|undefined/);
    }
  });

  it('each tick and grid line has its label, below or beside it', () => {
    for (const [name, svg] of each()) {
      const labels = svg.split('role-axis-label').slice(1);
      expect(labels, name).toHaveLength(2);
      for (const part of labels) {
        const axis = part.slice(0, part.indexOf('</g>'));
        expect(axis, name).not.toContain('opacity="0"');
        expect(new Set(axis.match(/text-anchor="\w+"/g)).size, name).toBe(1);
      }
    }
  });

  it('a point at the edge of the plot is drawn whole', () => {
    const edge = { radius: 5, width: 640, height: 380 };
    for (const [name, svg] of each()) {
      if (!svg.includes('clip-path="url')) continue;
      const points = svg.split('role-mark layer_1_marks')[1]?.split('</g>')[0] as string;
      const places = [...points.matchAll(/translate\((-?[\d.]+),(-?[\d.]+)\)/g)];
      expect(places.length, name).toBeGreaterThan(0);
      for (const [, x, y] of places) {
        if (Number(y) < 0) continue; // above the cut
        expect(Number(x), name).toBeGreaterThanOrEqual(edge.radius);
        expect(Number(x), name).toBeLessThanOrEqual(edge.width - edge.radius);
        expect(Number(y), name).toBeLessThanOrEqual(edge.height - edge.radius);
      }
    }
  });

  it('the limits of figures 12 and 13 differ in dashes and marks, so that equal curves are all seen', () => {
    for (const name of ['figure-12', 'figure-13']) {
      const lines = svgOf(name).match(/aria-roledescription="line mark"[^>]*>/g) ?? [];
      const dashes = lines.map((line) => /stroke-dasharray="([^"]*)"/.exec(line)?.[1]);
      expect(new Set(dashes).size, name).toBe(3);
      const points = svgOf(name).split('role-mark layer_1_marks')[1]?.split('</g>')[0] as string;
      const shapes = new Set([...points.matchAll(/ d="([^"]*)"/g)].map(([, shape]) => shape));
      expect(shapes.size, name).toBe(3);
      expect(points, name).not.toMatch(/ fill=|dasharray/);
    }
  });

  it('figure 14 has room for its sizes: thousands as k', () => {
    const [, axis = ''] = svgOf('figure-14').split('role-axis-label');
    const labels = [...axis.slice(0, axis.indexOf('</g>')).matchAll(/>([^<]+)<\/text>/g)];
    expect(labels.map(([, label]) => label).slice(0, 3)).toEqual(['0', '20k', '40k']);
  });

  it('figure 14 is no wider than the others', () => {
    expect(widthOf(svgOf('figure-14'))).toBeLessThan(760);
  });

  it('a legend is as large as the axes', () => {
    const legend = svgOf('figure-12').split('role-legend-label')[1] as string;
    expect(/font-size="(\d+)px"/.exec(legend)?.[1]).toBe('12');
  });

  it('in the dark too: each colour has another there, with a contrast of 3 or more (WCAG 2.2, 1.4.11)', () => {
    for (const [name, svg] of each()) {
      const [, dark = ''] = /<style>(.*)<\/style>/s.exec(svg) ?? [];
      expect(dark, name).toContain('prefers-color-scheme:dark');
      const colors = [...svg.matchAll(/ (fill|stroke)="(#[\da-f]{3,6})"/g)];
      for (const [, where, color] of colors) {
        const rule = dark.split(`[${where}="${color}"]{${where}:`)[1];
        expect(rule, `${name} ${where} ${color}`).toBeDefined();
        const isMark = color !== '#ddd' && color !== '#ffffff';
        if (!isMark) continue;
        expect(contrast(color as string, '#ffffff'), `${name} ${color}`).toBeGreaterThan(3);
        const inTheDark = rule?.slice(0, rule.indexOf('}')) as string;
        expect(contrast(inTheDark, '#0d1117'), `${name} ${color}`).toBeGreaterThan(3);
      }
    }
  });
});

it('a frontier keeps what no point of as little traffic beats', () => {
  const points = [
    [0.1, 900],
    [0.2, 950],
    [0.3, 700],
    [0.3, 800],
    [0.5, 700],
  ].map(
    ([trafficIncrease, averageAccessTimeMs]) =>
      ({ trafficIncrease, averageAccessTimeMs }) as SimulationPoint,
  );
  expect(frontier(points)).toEqual([points[0], points[2]]);
});

/** WCAG 2.2, contrast ratio. */
function contrast(one: string, other: string): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(color: string): number {
  const digits = color.length === 4 ? color.replace(/[\da-f]/g, '$&$&') : color;
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(digits.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
