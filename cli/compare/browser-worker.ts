// Loads pages in headless Chromium on request, as load-worker.ts does with the loader: `node browser-worker.ts
// CHROMIUM`. Each first visit uses a new browser profile; `revalidate` reloads the page, as a visitor does.

import type { BrowserContext, Page, Response } from 'playwright-core';
import { launchChromium } from '../chromium.ts';
import { answerLines } from './line-process.ts';
import type { LoadAnswer, LoadRequest } from './load-worker.ts';

const [program = ''] = process.argv.slice(2);
const browser = await launchChromium(program);
/** JavaScript for the page: the time at which everything had been loaded, ms since the navigation began. */
const loadedAt = 'performance.getEntriesByType("navigation")[0]?.loadEventStart ?? null';
let context: BrowserContext | null = null;
let page: Page | null = null;

process.stdout.write('ready\n');
await answerLines(answer, () => browser.close());

async function answer({ url, visit }: LoadRequest): Promise<LoadAnswer> {
  if (visit === 'first' || page === null) {
    await context?.close();
    context = await browser.newContext();
    page = await context.newPage();
  }
  const responses: Response[] = [];
  const note = (response: Response) => void responses.push(response);
  page.on('response', note);
  const whole = { waitUntil: 'load', timeout: 0 } as const;
  let error: string | null = null;
  try {
    await (visit === 'first' ? page.goto(url, whole) : page.reload(whole));
  } catch (cause) {
    error = (cause as Error).message.split('\n')[0] ?? '';
  }
  const completeMs = await page.evaluate<number | null>(loadedAt);
  page.off('response', note);
  const failed = responses.filter((response) => response.status() >= 400);
  const [first] = failed;
  return {
    completeMs: error === null ? completeMs : null,
    sizesKnownMs: null,
    connections: null,
    writes: null,
    requests: responses.filter((response) => !response.fromServiceWorker()).length,
    error: error ?? (first === undefined ? null : `${first.url()}: ${first.status()}`),
    errors: failed.length + (error === null ? 0 : 1),
  };
}
