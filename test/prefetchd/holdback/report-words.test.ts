// What a report says in words, for a terminal and for a page.

import { expect, it } from 'vitest';
import { Holdback } from '../../../prefetchd/holdback/holdback.ts';
import { reportHtml } from '../../../prefetchd/holdback/report-html.ts';
import { reportText } from '../../../prefetchd/holdback/report-text.ts';

/** Phones are sent 10 % more with hints, other devices 50 %. */
function made(devices: readonly ('desktop' | 'mobile')[]) {
  const holdback = new Holdback({ percent: 50, maxClients: 1000, nowMs: 0 });
  for (let visitor = 0; visitor < 400; visitor++) {
    const client = `visitor ${visitor}`;
    const device = devices[visitor % devices.length] ?? 'desktop';
    const isHinted = holdback.armOf(client) === 'hinted';
    const more = isHinted ? (device === 'mobile' ? 1.1 : 1.5) : 1;
    holdback.arrived(client);
    holdback.shown(client, device);
    holdback.received(client, device, more * (10_000 + visitor));
  }
  return holdback.report();
}

it('says what hints cost by device, where there is more than one', () => {
  const both = made(['desktop', 'mobile']);
  for (const text of [reportText(both).replace(/\s+/g, ' '), reportHtml(both)]) {
    expect(text).toMatch(/Bytes per page shown, prefetches included: \+\d\d %/);
    expect(text).toMatch(/Desktop: \+(?:49|50|51) % \(/);
    expect(text).toMatch(/Mobile: \+(?:9|10|11) % \(/);
  }
  for (const line of reportText(both).split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  expect(reportText(made(['mobile']))).not.toMatch(/Mobile:|Desktop:/);
});
