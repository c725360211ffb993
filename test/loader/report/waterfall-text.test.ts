import { describe, expect, it } from 'vitest';
import type { PageLoad } from '../../../loader/page-load.ts';
import { phaseGlyphs, renderAxis } from '../../../loader/report/terminal-bar.ts';
import { renderWaterfall } from '../../../loader/report/waterfall-text.ts';
import fc from '../../support/property.ts';
import { pageLoad, resource } from './page-load-builder.ts';
import { broken, redirected, revalidated, sampleLoads } from './sample-loads.ts';

/** The rows' bars: what follows the text columns. */
function bars(load: PageLoad, columns: number): string[] {
  const lines = renderWaterfall(load, { columns, color: false }).split('\n');
  const left = lines[0]?.indexOf('|') ?? 0;
  return lines.slice(1, 1 + load.resources.length).map((line) => line.slice(left));
}

const inOrder = Object.values(phaseGlyphs).map(({ character }) => character);

describe('renderWaterfall', () => {
  it('writes one line a resource, in the order they were found', () => {
    const { pipelined } = sampleLoads;
    if (pipelined === undefined) return;
    const lines = renderWaterfall(pipelined, { columns: 120, color: false }).split('\n');
    expect(lines[1]).toMatch(
      /^microscape\/ +html 200 +42\.2 kB +1 +0 +1 +124 ms -+\u2591+\u2588+$/,
    );
    expect(lines[43]).toMatch(/^spacer-42\.gif +img +200 +1\.4 kB +1 +42 +6 +310 ms /);
    expect(lines[45]).toBe('');
  });

  it('never draws a phase left of the one before it', () => {
    const shape = /^ *\u00b7*-*=*\u00b7*\u2591*\u2588*\u2592*x?$/;
    for (const load of Object.values(sampleLoads)) {
      for (const columns of [40, 80, 120, 200]) {
        for (const bar of bars(load, columns)) expect(bar).toMatch(shape);
      }
    }
  });

  it('shows at least one cell of whatever was received', () => {
    for (const columns of [40, 80, 120]) {
      for (const bar of bars(sampleLoads.huge as PageLoad, columns))
        expect(bar).toContain('\u2588');
    }
  });

  it('shows a cell of what came in no time', () => {
    const rows = [0, 40].map((ms) => resource({ startMs: ms, responseEndMs: ms, fromCache: true }));
    expect(bars(pageLoad({ resources: rows }), 80)).toEqual([
      '\u2592',
      expect.stringMatching(/^ +\u2592$/),
    ]);
  });

  it('labels its axis in even steps, with blanks between the labels', () => {
    const endMs = fc.double({ min: 0.01, max: 1e6, noNaN: true });
    fc.assert(
      fc.property(endMs, fc.integer({ min: 1, max: 160 }), (end, cells) => {
        const axis = renderAxis({ endMs: end, cells });
        expect(axis.length).toBeLessThanOrEqual(cells);
        const at = [...axis.matchAll(/\|/g)].map(({ index }) => index);
        const steps = at.slice(1).map((cell, i) => cell - (at[i] ?? 0));
        expect(Math.max(...steps, 0) - Math.min(...steps, 1000)).toBeLessThanOrEqual(1);
        expect(axis).not.toMatch(/\S ?\|/);
      }),
    );
  });

  it('tells the phases apart without colour', () => {
    expect(new Set(inOrder).size).toBe(inOrder.length - 1); // Look-up and connect share one.
  });

  it('shows every milestone, in their order, also where they share a moment', () => {
    for (const columns of [40, 80, 120]) {
      const load = pageLoad({
        resources: [resource({ startMs: 0, responseStartMs: 20, responseEndMs: 100 })],
        moments: { firstByteMs: 20, htmlEndMs: 100, sizesKnownMs: 100, completeMs: 100 },
      });
      const lines = renderWaterfall(load, { columns, color: false }).split('\n');
      expect(lines[2]).toMatch(/^ +F +HSC$/);
      expect(lines[2]?.length).toBeLessThanOrEqual(columns);
    }
  });

  it('shows a look-up that failed as connecting, not as queued', () => {
    const error = { code: 'name-not-resolved', message: 'no address' } as const;
    const unsent = { status: null, requestStartMs: null, responseStartMs: null, connection: null };
    const load = pageLoad({
      resources: [resource({ startMs: 0, responseEndMs: 50, ...unsent, attempts: 0, error })],
      moments: { completeMs: null },
    });
    expect(bars(load, 80)[0]).toMatch(/^-+x$/);
  });

  it('shows which rows came in the response of the page', () => {
    const part = resource({ attempts: 0, connection: 1, partOf: 'http://localhost:8080/' });
    const load = pageLoad({ resources: [resource({ connection: 1, batch: 1 }), part] });
    const text = renderWaterfall(load, { columns: 120, color: false });
    expect(text).toMatch(/ 1 +- +part /);
    expect(text).toContain('part: in the response of the page');
  });

  it('marks failed rows, and rows from the cache', () => {
    expect(bars(broken(), 80)[4]).toMatch(/x$/);
    expect(bars(revalidated(), 80)[7]).toMatch(/^ +\u2592$/);
  });

  it('explains the characters and columns it used, and no others', () => {
    const wide = renderWaterfall(redirected(), { columns: 120, color: false });
    expect(wide).toContain('= TLS handshake');
    expect(wide).not.toContain('x failed');
    const narrow = renderWaterfall(redirected(), { columns: 50, color: false });
    expect(narrow).not.toContain('conn: connection');
  });
});
