// How soon the dashboard appears with 100,000 URLs in the graph, and what a viewer costs the service.

import { setTimeout as wait } from 'node:timers/promises';
import { hasChromium, launchChromium } from '../../test/support/chromium.ts';
import type { BenchResult, Cell } from '../result.ts';
import { ratios, spreadOf } from '../spread.ts';
import { oneCore } from './one-core.ts';
import { learnSite } from './serve.ts';
import { type LoadAnswer, load } from './serve-load.ts';
import { ServeProcess } from './serve-process.ts';

export interface DashboardBenchSettings {
  rounds: number;
  say: (line: string) => void;
}

interface Paint {
  firstPaintMs: number;
  /** The list of pages is there: all of the graph was looked at. */
  completeMs: number;
}

const mostPaintMs = 1000;
const leastRatio = 0.98;
/** The first look at the graph is over, which takes more than the others. */
const settledMs = 10_000;
const loads = { connections: 64, warmUpS: 2, measuredS: 8 };

export async function dashboardBench(settings: DashboardBenchSettings): Promise<BenchResult> {
  const { rounds, say } = settings;
  await using service = await ServeProcess.start('memory');
  await learnSite(service);
  const paints: Paint[] = [];
  const alone: LoadAnswer[] = [];
  const watched: LoadAnswer[] = [];
  await most(service, 0, []); // compiled by now, whichever turn is first
  for (let round = 1; round <= rounds; round++) {
    say(`round ${round} of ${rounds}`);
    if (hasChromium) paints.push(await paint(service.port));
    const turns = [() => most(service, round, alone), () => watchedMost(service, round, watched)];
    for (const turn of round % 2 === 0 ? turns : turns.reverse()) {
      await wait(12_000); // whoever watched before is forgotten
      await turn();
    }
  }
  const perS = (answers: LoadAnswer[]) => answers.map((answer) => answer.perS);
  const cpuUs = (answers: LoadAnswer[]) => answers.map((answer) => answer.cpuUs);
  const kept = spreadOf(ratios(perS(watched), perS(alone)));
  const keptCpu = spreadOf(ratios(cpuUs(watched), cpuUs(alone)));
  const rows: Cell[][] = [
    [
      'nobody watches',
      spreadOf(perS(alone).map((n) => n / 1000)),
      spreadOf(cpuUs(alone)),
      null,
      null,
    ],
    [
      'one watches',
      spreadOf(perS(watched).map((n) => n / 1000)),
      spreadOf(cpuUs(watched)),
      kept,
      keptCpu,
    ],
  ];
  return {
    name: 'prefetchd-dashboard',
    title: 'The dashboard of the hint service',
    method: [
      `\`prefetchd serve\`, compiled as it is published, store in memory, ${oneCore}, with 100,000 URLs in its graph. POST /v1/hints over ${loads.connections} kept connections, as many as it answers for ${loads.measuredS} s, with nobody who watches and with one, in turns, ${rounds} rounds. Who watches began ten seconds before, and asks what the page asks: the overview each second, a page every three seconds.`,
      hasChromium
        ? 'The page is opened in headless Chromium on the same machine, each time in a fresh profile, before these loads.'
        : 'There is no Chromium here, so nothing was painted.',
    ],
    tables: [
      {
        title: 'What a watcher costs',
        columns: [
          { name: 'service', meaning: 'who asks it besides', text: true },
          { name: 'most k/s', meaning: 'thousands of requests answered a second', digits: 1 },
          { name: 'CPU us', meaning: 'processor time of the service for a request', digits: 1 },
          { name: 'ratio', meaning: 'most k/s over that with nobody, round by round', digits: 3 },
          { name: 'CPU ratio', meaning: 'CPU us over that with nobody, round by round', digits: 3 },
        ],
        rows,
      },
      ...(paints.length === 0
        ? []
        : [
            {
              title: 'How soon it is there',
              columns: [
                { name: 'first paint ms', meaning: 'first contentful paint', digits: 0 },
                { name: 'complete ms', meaning: 'all of the graph was looked at', digits: 0 },
              ],
              rows: [
                [
                  spreadOf(paints.map(({ firstPaintMs }) => firstPaintMs)),
                  spreadOf(paints.map(({ completeMs }) => completeMs)),
                ],
              ],
            },
          ]),
    ],
    targets: [
      {
        what: 'requests/s with one who watches, over those with nobody',
        limit: leastRatio,
        bound: 'at least',
        unit: '',
        digits: 3,
        measured: kept,
        judgedBy: 'median',
      },
      ...(paints.length === 0
        ? []
        : [
            {
              what: 'first paint with 100,000 URLs',
              limit: mostPaintMs,
              unit: 'ms',
              digits: 0,
              measured: spreadOf(paints.map(({ firstPaintMs }) => firstPaintMs)),
              judgedBy: 'median' as const,
            },
          ]),
    ],
  };
}

async function most({ port, pid }: ServeProcess, seed: number, into: LoadAnswer[]): Promise<void> {
  into.push(await load({ port, pid, requests: 'hints', seed, perS: null, ...loads }));
}

async function watchedMost(service: ServeProcess, seed: number, into: LoadAnswer[]): Promise<void> {
  const ended = new AbortController();
  const watching = watch(`http://127.0.0.1:${service.port}`, ended.signal);
  await wait(settledMs);
  await most(service, seed, into);
  ended.abort();
  await watching;
}

/** As page/app.js does. */
async function watch(base: string, ended: AbortSignal): Promise<void> {
  let tag = '';
  for (let second = 0; !ended.aborted; second++) {
    const response = await fetch(`${base}/v1/overview`, { headers: { 'If-None-Match': tag } });
    tag = response.headers.get('etag') ?? '';
    if (response.status === 200) {
      const overview = (await response.json()) as { pages: { url: string }[] };
      const url = encodeURIComponent(overview.pages[0]?.url ?? '/');
      if (second % 3 === 0) await (await fetch(`${base}/v1/pages?url=${url}&kind=document`)).text();
    }
    await wait(1000, null, { signal: ended }).catch(() => {});
  }
}

async function paint(port: number): Promise<Paint> {
  const browser = await launchChromium();
  try {
    const page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${port}/`);
    await page.locator('#top button').first().waitFor();
    const completeMs = await page.evaluate<number>('performance.now()');
    const firstPaintMs = await page.evaluate<number>(
      "performance.getEntriesByName('first-contentful-paint')[0].startTime",
    );
    return { firstPaintMs, completeMs };
  } finally {
    await browser.close();
  }
}
