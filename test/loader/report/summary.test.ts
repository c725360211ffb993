import { describe, expect, it } from 'vitest';
import type { PageLoad } from '../../../loader/page-load.ts';
import { renderSummary } from '../../../loader/report/summary.ts';
import { pageLoad, resource } from './page-load-builder.ts';
import { broken, redirected, revalidated, unreachable } from './sample-loads.ts';

const at = (load: PageLoad, columns: number) => renderSummary(load, { columns, color: false });

describe('renderSummary', () => {
  it('begins with the URL, each redirect, the final status and the protocol', () => {
    expect(at(redirected(), 80).split('\n').slice(0, 3)).toEqual([
      'http://example.org/',
      '-> https://www.example.org/start?lang=en',
      '200 OK over h2, protocol auto',
    ]);
  });

  it('tells what failed and why', () => {
    const lines = at(broken(), 80).split('\n');
    const from = lines.findIndex((line) => line.startsWith('4 failed'));
    expect(lines.slice(from + 1, from + 4)).toEqual([
      '  404 Not Found  spacer-2.gif',
      '  200 OK, connection-lost  logo-4.gif',
      '    the server closed the connection after 5 responses',
    ]);
  });

  const missing = resource({
    ...{ status: 404, statusText: 'Not Found' },
    error: { code: 'http-status', message: '404 Not Found' },
  });
  const odd = resource({ quirks: ['bytes behind the gzip body'] });
  const part = resource({ attempts: 0, partOf: 'http://localhost:8080/' });
  const failed = Array.from({ length: 30 }, () => resource({ status: 500, statusText: 'No' }));
  const loop = { url: 'http://a.example/', redirectUrl: 'http://a.example/' };

  it.each([
    [
      'counts responses with a fault that was passed over, and says which',
      [resource(), odd, odd],
      /^quirks +2 {2}used all the same: bytes behind the gzip body$/m,
    ],
    [
      'says a bad status once',
      [resource(), missing],
      /\n1 failed .*\n {2}404 Not Found {2}localhost:8080\/\n$/,
    ],
    [
      'counts the parts of a Get-All response, and what of it was not used',
      [resource(), part, part],
      /^parts +2 {2}came in the page's response \(Get-All\); 3.1 kB not used/m,
    ],
    [
      'names the first failures and counts the rest',
      failed,
      /\n30 failed .*(\n {2}500 No .*){12}\n {2}and 18 more\n$/,
    ],
    [
      'survives a redirect loop in the record',
      [resource(loop), resource(loop)],
      /^http:\/\/a.example\/\n-> http:\/\/a.example\/\n200 OK/,
    ],
  ])('%s', (_, resources, says) => {
    const load = pageLoad({ resources });
    load.totals.unusedPartBytes = 3_100;
    expect(at(load, 80)).toMatch(says);
  });

  it('says nothing of what there is not', () => {
    expect(at(pageLoad({ resources: [resource()] }), 80)).not.toMatch(/^quirks|^parts/m);
  });

  it('says that the page itself did not come', () => {
    expect(at(unreachable(), 80)).toBe(
      'https://unreachable.example/\nname-not-resolved, protocol pipelined\n  unreachable.example has no address\n',
    );
  });

  it('of a page that did not come tells what is known, and no zeros', () => {
    const error = { code: 'response-timeout', message: 'no byte within 10 s' } as const;
    const first = resource({ kind: 'document', initiator: null, status: null, error });
    const load = pageLoad({ resources: [first], moments: { completeMs: null } });
    load.totals.requests = 1;
    load.totals.connections = 1;
    load.totals.transferBytes = 0;
    load.totals.bodyBytes = 0;
    const shown = at(load, 80);
    expect(shown).toMatch(/^requests +1 {2}/m);
    expect(shown).not.toMatch(/^(transferred|decoded|complete|errors)/m);
    expect(shown.match(/response-timeout/g)).toHaveLength(1);
  });

  it.each([
    ['5', /^held +1 {2}of these the server holds idle for 5 s \(Hold-Line\)/m],
    ['', /^held +1 {2}of these the server holds idle \(Hold-Line\)/m],
    [null, /^held +0 {2}/m],
  ])('says whether connections are held that were to be: %j', (granted, row) => {
    const requestHeaders: [string, string][] = [['hold-line', '']];
    const responseHeaders: [string, string][] = granted === null ? [] : [['Hold-Line', granted]];
    const load = pageLoad({ resources: [resource({ requestHeaders, responseHeaders })] });
    expect(at(load, 80)).toMatch(row);
    expect(at(pageLoad({ resources: [resource({ responseHeaders })] }), 80)).not.toMatch(/^held/m);
  });

  it('counts 304 answers and what came from the cache', () => {
    expect(at(revalidated(), 80)).toMatch(/^not modified +6 {2}304 responses/m);
    expect(at(revalidated(), 80)).toMatch(/^from cache +8 /m);
  });

  it('drops explanations, not figures, where there is no room', () => {
    const figures = (text: string) => text.match(/^(requests|complete) +\S+/gm)?.length;
    expect(at(broken(), 40)).not.toContain('size, or failure');
    expect(figures(at(broken(), 40))).toBe(figures(at(broken(), 120)));
  });
});
