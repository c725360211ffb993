// What a report says in a terminal.

import { expect, it } from 'vitest';
import { Holdback } from '../../../prefetchd/holdback/holdback.ts';
import { reportText } from '../../../prefetchd/holdback/report-text.ts';

/** With hints phones are sent 10 % more, other devices 50 %, and a page takes 200 ms less. */
function made(devices: readonly ('desktop' | 'mobile')[]) {
  const holdback = new Holdback({ percent: 50, maxClients: 1000, nowMs: 0 });
  for (let visitor = 0; visitor < 800; visitor++) {
    const client = `visitor ${visitor}`;
    const device = devices[visitor % devices.length] ?? 'desktop';
    const isHinted = holdback.armOf(client) === 'hinted';
    const more = isHinted ? (device === 'mobile' ? 1.1 : 1.5) : 1;
    holdback.arrived(client);
    holdback.shown(client, device);
    holdback.received(client, device, more * (10_000 + visitor));
    holdback.offered(client, '/a', ['/b'], 0);
    const ms = (isHinted ? 50 : 250) + (visitor % 10);
    const navigated = { client, device, from: '/a', page: '/b', timeMs: 0 };
    holdback.measured(navigated, { ttfbMs: ms, fcpMs: null, lcpMs: ms, inpMs: null });
  }
  return holdback.report();
}

it('says what was found for all devices, and for each where there is more than one', () => {
  const text = reportText(made(['desktop', 'mobile']));
  expect(text).toMatch(/^Pages that prefetchd expects are shown 200 ms faster on average\n/);
  expect(text).toMatch(/instant \(TTFB up to 100 ms\) +100\.0 % +0\.0 % \+100\.0 points/);
  const [all, desktop, mobile] = [/\nall: \d+ and/, /\ndesktop: \d+ and/, /\nmobile: \d+ and/].map(
    (title) => text.slice(text.search(title)),
  );
  for (const section of [all, desktop, mobile]) {
    expect(section).toMatch(/LCP +5\d ms +25\d ms +−(?:199|200|201) ms +−20\d to −19\d/);
  }
  expect(desktop).toMatch(/bytes per page shown +15\.\d kB +10\.\d kB +\+5\.\d kB +\+5\.\d to/);
  expect(mobile).toMatch(/bytes per page shown +11\.\d kB +10\.\d kB +\+1\.\d kB/);
  for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  expect(reportText(made(['mobile']))).toMatch(/\nmobile: /);
  expect(reportText(made(['mobile']))).not.toMatch(/\ndesktop: /);
});
