// A visitor with a browser profile of its own: reads, rests the mouse on links, clicks, and says how each page came.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Devtools } from '../../../test/support/devtools.ts';
import { Tab } from './tab.ts';
import type { Walk } from './walks.ts';

/** How a page came that was clicked for. */
export interface Navigation {
  from: string;
  to: string;
  /** From the click, or from the activation of a prerendered page. */
  ttfbMs: number;
  fcpMs: number | null;
  lcpMs: number | null;
  /** PerformanceNavigationTiming.deliveryType */
  delivery: string;
  prerendered: boolean;
}

const strayMs = 350;
const restMs = 300;
const pressMs = 80;
/** Where no link is: a page that opens under the mouse does not find it on one of its own. */
const aside = { x: 2, y: 2 };

export async function walk(devtools: Devtools, origin: string, way: Walk): Promise<Navigation[]> {
  await using tab = await Tab.open(devtools);
  await tab.goto(origin + way.entry);
  const navigations: Navigation[] = [];
  let from = way.entry;
  for (const { strays, click } of way.steps) {
    for (const stray of strays) {
      await tab.move(await placeOf(tab, stray));
      await sleep(strayMs);
    }
    const link = await placeOf(tab, click);
    await tab.move(link);
    await sleep(restMs);
    await tab.press(link);
    await sleep(pressMs);
    await tab.release(link);
    // A page that goes at this moment takes no more commands.
    await tab.move(aside).catch(() => {});
    await tab.shows(origin + click);
    navigations.push({ from, to: click, ...(await timingOf(tab)) });
    from = click;
  }
  return navigations;
}

async function placeOf(tab: Tab, path: string): Promise<{ x: number; y: number }> {
  const selector = JSON.stringify(`nav a[href="${path}"]`);
  const place = await tab.evaluate<{ x: number; y: number } | null>(`(() => {
    const box = document.querySelector(${selector})?.getBoundingClientRect();
    return box && { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  })()`);
  if (!place) throw new Error(`no link to ${path} is on the page that is shown`);
  return place;
}

/** LCP comes some frames after load: it is waited for, up to a second. */
const timingScript = `new Promise((resolve) => {
  const [entry] = performance.getEntriesByType('navigation');
  const since = (ms) => Math.max(0, ms - (entry.activationStart ?? 0));
  const timing = (lcp) => ({
    ttfbMs: since(entry.responseStart),
    fcpMs: performance.getEntriesByName('first-contentful-paint').map((each) => since(each.startTime))[0] ?? null,
    lcpMs: lcp,
    delivery: entry.deliveryType,
    prerendered: (entry.activationStart ?? 0) > 0,
  });
  new PerformanceObserver((list) => resolve(timing(since(list.getEntries().at(-1).startTime))))
    .observe({ type: 'largest-contentful-paint', buffered: true });
  setTimeout(() => resolve(timing(null)), 1000);
})`;

const timingOf = (tab: Tab) => tab.evaluate<Omit<Navigation, 'from' | 'to'>>(timingScript);
