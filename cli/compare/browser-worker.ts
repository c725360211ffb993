// Loads pages on request, as load-worker.ts does, but in headless Chromium: `node browser-worker.ts CHROMIUM`, a path.
// Each first visit uses a new browser profile; `revalidate` reloads the page, as a visitor does.

import type { Page, Response } from 'playwright-core';
import { launchChromium } from '../chromium.ts';
import { answerLines } from './line-process.ts';
import type { LoadAnswer, LoadRequest } from './load-worker.ts';

const browser = await launchChromium(process.argv[2] ?? '');
/** JavaScript for the page: the time at which everything had been loaded, ms since the navigation began. */
const loadedAt = 'performance.getEntriesByType("navigation")[0]?.loadEventStart ?? null';
let page: Page | null = null;
/** The responses to the requests of the current load. */
let responses: Response[] = [];

process.stdout.write('ready\n');
await answerLines(answer, () => browser.close());

async function answer({ url, visit }: LoadRequest): Promise<LoadAnswer> {
  responses = [];
  if (visit === 'first' || page === null) {
    await page?.context().close();
    page = await (await browser.newContext()).newPage();
    page.on('response', (response) => void responses.push(response));
  }
  const whole = { waitUntil: 'load', timeout: 0 } as const;
  const loading = visit === 'first' ? page.goto(url, whole) : page.reload(whole);
  const failures: string[] = [];
  await loading.catch(({ message }: Error) => failures.push(message.split('\n')[0] ?? ''));
  const completeMs = failures.length > 0 ? null : await page.evaluate<number | null>(loadedAt);
  const failed = responses.filter((response) => response.status() >= 400);
  failures.push(...failed.map((response) => `${response.url()}: ${response.status()}`));
  return {
    completeMs,
    sizesKnownMs: null,
    connections: null,
    writes: null,
    requests: responses.filter((response) => !response.fromServiceWorker()).length,
    error: failures[0] ?? null,
    errors: failures.length,
  };
}
