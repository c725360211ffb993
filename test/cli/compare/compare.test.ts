// Networks as they are written, the floor that one sets, and what a terminal of any width shows.

import { describe, expect, it } from 'vitest';
import {
  comparisonMarkdown,
  comparisonSvg,
  renderComparison,
} from '../../../cli/compare/comparison-text.ts';
import { floorMs, rowsOf } from '../../../cli/compare/figures.ts';
import { type LinkSettings, parseLinks } from '../../../cli/compare/links.ts';
import type { Combination, Sample } from '../../../cli/compare/runs.ts';

const [lan, wan, fourG] = parseLinks('lan, wan,4G');
const wide = wan as NonNullable<typeof wan>;

describe('--links', () => {
  it('takes names, and networks as they are written', () => {
    expect(lan).toMatchObject({ name: 'lan', delayMs: 0.3, downBitsPerSecond: 10e6 });
    expect(fourG).toMatchObject({ name: '4g', upBitsPerSecond: 9e6, queuePackets: 375 });
    expect(parseLinks('3g:loss=1%')[0]).toMatchObject({ upBitsPerSecond: 768e3, loss: 0.01 });
    expect(parseLinks('1.6mbit/150ms/1%')).toEqual([
      expect.objectContaining({
        ...{ name: '1.6mbit/150ms/1%', delayMs: 150, loss: 0.01 },
        ...{ downBitsPerSecond: 1.6e6, upBitsPerSecond: 1.6e6 },
      }),
    ]);
  });

  it('takes settings behind a network', () => {
    const text = 'wan:up=1mbit:queue=9:loss=1%:reorder=2%:mtu=576:window=2:ack=200ms';
    expect(parseLinks(text)).toEqual([
      {
        ...wan,
        ...{ name: text, upBitsPerSecond: 1e6, queuePackets: 9, loss: 0.01, reordering: 0.02 },
        ...{ mtuBytes: 576, initialWindow: 2, delayedAckMs: 200 },
      },
    ]);
  });

  it('takes settings of the direction from the client', () => {
    const [{ up, delayMs, loss }] = parseLinks('wan:up-loss=1%:up-delay=9ms') as [LinkSettings];
    expect([up, delayMs, loss]).toEqual([{ loss: 0.01, delayMs: 9 }, 45, 0]);
  });

  it.each([
    ['4g:up-mtu=576', /a setting is up, delay, queue, .*, not "up-mtu=576"$/],
    ['5g', /^--links: 5g: a network is lan, wan, .* or written as .*, not "5g"$/],
    ['', /not ""$/],
    ['1bit/1ms', '--links: 1bit/1ms: a rate is from 1kbit to 1gbit, not "1bit"'],
    ['100gbit/1ms', /a rate is from 1kbit to 1gbit/],
    ['1mbit/99999ms', '--links: 1mbit/99999ms: a value is from 0ms to 10000ms, not "99999ms"'],
    ['1mbit/1ms/60%', /from 0% to 50%, not "60%"$/],
    ['4g:mtu=20', '--links: 4g:mtu=20: a value is from 576 to 1500, not "20"'],
    ['4g:mtu=576.5', /from 576 to 1500, not "576.5"$/],
    ['4g:ack=fast', /from 0ms to 1000ms, not "fast"$/],
    ['4g:jitter=3ms', /a setting is up, delay, queue, loss, .*, not "jitter=3ms"$/],
    ['1mbit/-1ms', /from 0ms to 10000ms, not "-1ms"$/],
  ])('%s is refused with its reason', (text, message) => {
    expect(() => parseLinks(text)).toThrow(message);
  });
});

describe('the floor', () => {
  const slow = { ...wide, downBitsPerSecond: 80_000 };
  it('of a slow network is its rate, after two round trips', () => {
    expect(floorMs(slow, 10_000)).toBe(2 * 90 + 1_000);
  });
  it('of a fast one is slow start: ten segments, then twice as many each round trip', () => {
    const fast = { ...slow, downBitsPerSecond: 1e12 };
    expect(floorMs(fast, 15_000)).toBeCloseTo(180, 3);
    expect(floorMs(fast, 15_001)).toBeCloseTo(270, 3);
    expect(floorMs(fast, 45_001)).toBeCloseTo(360, 3);
    expect(floorMs({ ...fast, up: { delayMs: 55 } }, 15_000)).toBeCloseTo(200, 3);
    expect(floorMs({ ...fast, initialWindow: 1, mtuBytes: 1000 }, 3_001)).toBeCloseTo(360, 3);
  });
});

const passed = {
  ...{ dropped: 0, connections: 1, firstSentAtMs: 1, firstArrivedAtMs: 1, lastDataAtMs: 1 },
};
const sample = (completeMs: number | null, packets: number): Sample => ({
  load: {
    ...{ completeMs, sizesKnownMs: completeMs, requests: 43, connections: 1, writes: 2 },
    ...{ error: completeMs === null ? 'http://a/: lost' : null, errors: 0 },
  },
  wire: {
    up: { ...passed, packets, bytes: packets * 40, headerBytes: packets * 40 },
    down: { ...passed, packets, bytes: packets * 1000, headerBytes: packets * 40, dropped: 1 },
  },
});
const combinations: Combination[] = [
  {
    link: 'wan',
    way: 'pipelined',
    visit: 'first',
    samples: [100, 300, 200].map((ms) => sample(ms, ms)),
  },
  { link: 'wan', way: 'h2', visit: 'first', samples: [sample(50, 50)] },
  // A failed load gets few bytes, which are no floor for the others.
  { link: 'wan', way: 'persistent', visit: 'first', samples: [sample(null, 1)] },
  { link: 'wan', way: 'auto', visit: 'revalidate', samples: [sample(null, 1)] },
  { link: 'wan', way: 'h2:without=.gif', visit: 'first', samples: [sample(50, 20)] },
];
const rows = rowsOf(combinations, [wide]);

describe('the figures', () => {
  it('are medians with extremes; overhead is the share of header bytes', () => {
    expect(rows[0]).toMatchObject({
      completeMs: { median: 200, min: 100, max: 300 },
      packetsDown: { median: 200 },
      packetsPerConnection: { median: 400 },
      dropped: { median: 1 },
    });
    expect(rows[0]?.overheadPercent?.median).toBeCloseTo((100 * 80) / 1040, 2);
    expect(rows[0]?.timesFloor?.median).toBeCloseTo(200 / floorMs(wide, 50_000), 2);
    // A page that a way made smaller has a floor of its own.
    expect(rows[4]?.timesFloor?.median).toBeCloseTo(50 / floorMs(wide, 20_000), 2);
  });

  it.each([40, 60, 80, 120, 200])('fit %i columns, and always say way and time', (width) => {
    const text = renderComparison(rows, width);
    const table = text.split('\n').filter((line) => !line.includes('lost'));
    for (const line of table) expect(line.length, line).toBeLessThanOrEqual(width);
    expect(text).toMatch(/^wan, first visit\nway +time/);
    expect(text).toMatch(/^pipelined +200 ms/m);
    expect(text).toMatch(/^wan, auto: .*lost$/m);
    if (width === 200) expect(table[1]).toContain('dropped');
  });

  it('are whole in Markdown, and drawn', () => {
    const markdown = comparisonMarkdown(rows);
    expect(markdown).toContain('| pipelined | 200 ms (100 ms..300 ms) |');
    expect(markdown).toContain('| 200 (100..300) + 200 (100..300) |');
    const svg = comparisonSvg(rows);
    expect(svg).toContain('wan, revalidation');
    expect(svg.match(/class="waiting"/g)).toHaveLength(3);
    expect(svg).toContain('>failed<');
  });
});
