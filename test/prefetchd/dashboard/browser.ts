// The dashboard in a real browser, and what the browser complained of.

import { readFileSync } from 'node:fs';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';

const faintTextsScript = readFileSync(new URL('./faint-texts.js', import.meta.url), 'utf8');

export interface Opened extends AsyncDisposable {
  page: Page;
  /** Errors of the console and of scripts, refusals of the Content-Security-Policy among them. */
  complaints: string[];
}

export async function opened(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<Opened> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  await page.goto(url);
  return { page, complaints, [Symbol.asyncDispose]: () => context.close() };
}

/** What runs in the page is a text here: the types of this repository know no DOM. */
export function faintTexts(page: Page): Promise<{ faint: string[]; texts: number }> {
  return page.evaluate(faintTextsScript);
}
