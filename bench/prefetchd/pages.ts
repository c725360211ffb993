// What a site's owner gets from prefetchd with its defaults: the share of clicks that had been hinted, and its cost.

import { basename } from 'node:path';
import type { PrefetchdOptions } from '../../prefetchd/engine/prefetchd-options.ts';
import { sitePredictor } from '../../server/hints/source.ts';
import type { BenchResult, Cell, Column } from '../result.ts';
import { type PageFigures, replay, replayedLog } from './replay.ts';

const settings: ReadonlyArray<[name: string, options: PrefetchdOptions]> = [
  ['service as shipped', {}],
  ['hints() as shipped', { predictor: sitePredictor }],
  ['hints(), p 0.25', { predictor: sitePredictor, threshold: 0.25 }],
  ['hints(), p 0.2', { predictor: sitePredictor, threshold: 0.2 }],
  ['hints(), p 0.2, k 2', { predictor: sitePredictor, threshold: 0.2, minClients: 2 }],
];

export async function pagesBench({
  logs,
  say,
}: {
  logs: string[];
  say: (line: string) => void;
}): Promise<BenchResult> {
  const rows: Cell[][] = [];
  for (const path of logs) {
    const log = await replayedLog(path);
    for (const [name, options] of settings) {
      say(`${basename(path)}: ${name}`);
      rows.push([basename(path), name, ...cells(await replay(log, options))]);
    }
  }
  return {
    name: 'prefetchd-pages',
    title: 'Clicks that had been hinted',
    method: [
      'Each log is read with the default filter and replayed through the engine with its own clock: at each page hints are asked for, then the page is learned. The first 60 % of the accesses only teach. Counted are clients that fetched something embedded in a page, as browsers do, and their clicks to pages that are new to their visit; a visit ends after half an hour of silence.',
    ],
    tables: [{ title: '', columns, rows }],
    targets: [],
  };
}

function cells({ clicks, hinted, given, pageBytes, wastedBytes }: PageFigures): Cell[] {
  const percent = (part: number, whole: number) => (whole === 0 ? null : (100 * part) / whole);
  return [
    clicks,
    percent(hinted, clicks),
    given,
    percent(hinted, given),
    percent(wastedBytes, pageBytes),
  ];
}

const columns: Column[] = [
  { name: 'log', meaning: 'read with the default filter', text: true },
  { name: 'setting', meaning: 'what differs from the defaults', text: true },
  { name: 'clicks', meaning: 'of people, to a page that is new to their visit', digits: 0 },
  {
    name: 'hinted %',
    meaning: 'of the clicks: a page of the visit before had hinted it',
    digits: 1,
  },
  { name: 'hints', meaning: 'pages hinted to people, each once a visit', digits: 0 },
  { name: 'precision %', meaning: 'of the hints: opened in the visit', digits: 1 },
  {
    name: 'bytes %',
    meaning: 'hinted pages that nobody opened, of the bytes of pages that people opened',
    digits: 1,
  },
];
