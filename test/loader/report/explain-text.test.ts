// Why each resource was fetched or not, on terminals of any width.

import { describe, expect, it } from 'vitest';
import { renderExplanation } from '../../../loader/report/explain-text.ts';
import property from '../../support/property.ts';
import { anyPageLoad } from './page-load-arbitrary.ts';
import { origin, pageLoad, resource } from './page-load-builder.ts';

const page = resource({ url: `${origin}/`, kind: 'document', initiator: null });
const named = (path: string, initiator: string, more = {}) =>
  resource({ url: origin + path, initiator: origin + initiator, from: 'link href', ...more });

const load = pageLoad({
  resources: [
    page,
    named('/a.css', '/', { kind: 'stylesheet', why: 'blocks rendering' }),
    named('/b.css', '/a.css', { kind: 'stylesheet', from: '@import' }),
    named('/x.png', '/b.css', { from: 'background', why: 'for .x' }),
  ],
  skipped: [
    ...Array.from({ length: 10 }, (_, offset) => ({
      ...{ url: `${origin}/${offset}.jpg`, kind: 'image' as const, from: 'img src', offset },
      ...{ initiator: `${origin}/`, why: 'loading=lazy, below the first view' },
    })),
    {
      ...{ url: 'y.js', kind: 'script', from: 'script src', offset: 1 },
      ...{ initiator: `${origin}/`, why: 'nomodule' },
    },
  ],
});

describe('renderExplanation', () => {
  it('groups by what names them, with the way there, then by reason', () => {
    expect(renderExplanation(load, { columns: 60, color: false }).split('\n')).toEqual([
      'in localhost:8080/ (1)',
      '  stylesheet  a.css              link href, blocks rendering',
      '',
      'in a.css (1)',
      '  stylesheet  b.css                                  @import',
      '',
      'in a.css > b.css (1)',
      '  image       x.png                       background, for .x',
      '',
      'not fetched: loading=lazy, below the first view (10)',
      ...Array.from({ length: 8 }, (_, at) => `  image       ${at}.jpg${' '.repeat(34)}img src`),
      '  and 2 more',
      '',
      'not fetched: nomodule (1)',
      '  script      y.js                                script src',
      '',
    ]);
  });

  it('says each reference once, however often the page names it', () => {
    const twice = { ...load, skipped: [...load.skipped, ...load.skipped] };
    const options = { columns: 80, color: false };
    expect(renderExplanation(twice, options)).toBe(renderExplanation(load, options));
  });

  it('calls nothing not fetched that another element takes', () => {
    const lost = { kind: 'image' as const, initiator: `${origin}/`, from: 'img srcset', offset: 9 };
    const skipped = ['/x.png', '/x-2.png'].map((path) => ({
      ...{ ...lost, url: origin + path, why: 'a smaller candidate is sharp enough' },
    }));
    const text = renderExplanation({ ...load, skipped }, { columns: 80, color: false });
    expect(text.split('\n\n').at(-1)?.split('\n')).toEqual([
      'not fetched: a smaller candidate is sharp enough (1)',
      '  image       x-2.png                                                 img srcset',
      '',
    ]);
  });

  it('fits the terminal, whatever pages name', () => {
    property.assert(
      property.property(anyPageLoad, property.integer({ min: 40, max: 200 }), (any, columns) => {
        const skipped = any.resources.map(({ url, kind }) => ({
          ...{ url, initiator: url, from: `img ${url}`, offset: 0, why: url },
          kind: kind === 'other' ? ('image' as const) : kind,
        }));
        const resources = any.resources.map((row) => ({ ...row, from: row.url, why: row.url }));
        const text = renderExplanation({ ...any, resources, skipped }, { columns, color: false });
        for (const line of text.split('\n')) {
          expect(line.length).toBeLessThanOrEqual(columns);
          expect(line).not.toMatch(/[\p{Cc}]/u);
        }
      }),
    );
  });
});
