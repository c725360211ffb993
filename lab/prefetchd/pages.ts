// What a site's owner gets from prefetchd with its defaults: the share of clicks that had been hinted, and its cost; and
// what each rule is worth, by switching it off.

import { basename } from 'node:path';
import { readLog } from '../../prefetchd/log/index.ts';
import {
  defaultSetting,
  type PageFigures,
  type SimulatedEngine,
  simulate,
  type Trace,
  TraceBuilder,
  traceOf,
} from '../../prefetchd/simulate/index.ts';
import { withConstants } from '../constants.ts';
import type { BenchResult, Cell, Column, Target } from '../result.ts';
import { spreadOf } from '../spread.ts';
import { siteKinds, siteLog } from './three-sites.ts';

/** Of a log, what only teaches. */
const taught = 0.6;
const dayMs = 24 * 60 * 60_000;

interface Setting {
  name: string;
  predictor?: 'dependency-graph';
  /** p of pages and objects. */
  threshold?: number;
  engine?: SimulatedEngine;
}

const settings: readonly Setting[] = [
  { name: 'the defaults' },
  { name: 'p 0.5', threshold: 0.5 },
  { name: 'p 0.25', threshold: 0.25 },
  { name: 'dependency graph', predictor: 'dependency-graph' },
  { name: 'no queries', engine: { query: 'drop-from-hints' } },
  { name: 'k 3', engine: { minClients: 3 } },
  { name: 'clients of one day', engine: withConstants({ fingerprintLifeMs: dayMs }) },
  { name: 'robots learned', engine: withConstants({ requireObjects: false }) },
  { name: 'half-life 7 days', engine: { halfLifeMs: 7 * dayMs } },
  { name: 'any size', engine: withConstants({ maxHintBytes: null, maxWasteBytes: null }) },
  { name: 'only the cap of 100 kB', engine: withConstants({ maxWasteBytes: null }) },
  {
    name: 'all of these: the former defaults',
    ...{ predictor: 'dependency-graph', threshold: 0.5 },
    engine: {
      ...{ query: 'drop-from-hints', minClients: 3, halfLifeMs: 7 * dayMs },
      ...withConstants({
        ...{ minPageClients: 1, fingerprintLifeMs: dayMs, requireObjects: false },
        ...{ maxHintBytes: null, maxWasteBytes: null },
      }),
    },
  },
];

interface Log {
  name: string;
  trace: Trace;
  /** Of what people opened in the last 40 %, downloads included; null: there are none. */
  documentBytes: number | null;
}

export async function pagesBench({
  logs,
  say,
}: {
  logs: string[];
  say: (line: string) => void;
}): Promise<BenchResult> {
  const rows: Cell[][] = [];
  for (const { name, trace, documentBytes } of [...(await realLogs(logs)), ...generated()]) {
    say(name);
    for (const setting of settings) {
      const early = figures(trace, setting, { train: 0, simulate: 0.1 });
      rows.push([
        name,
        setting.name,
        ...cells(figures(trace, setting, { train: taught }), early, documentBytes),
      ]);
    }
  }
  const defaults = rows.filter(([, setting]) => setting === 'the defaults');
  return {
    name: 'prefetchd-pages',
    title: 'Clicks that had been hinted',
    method: [
      '`prefetchd simulate LOG` with its defaults: the engine of the service learns the log by its own rules and clock, and hints pages to people, who are the clients that fetch objects. The first 60 % of the accesses only teach; the first 10 % are measured as well, from nothing. A click opens a page that is new to the visit, after another page of it; a visit ends after half an hour of silence. In each row one rule is off.',
      'The three sites are generated (`lab/prefetchd/three-sites.ts`): two months of a brochure (12 visits of people a day), a shop with faceted queries (60) and a CMS with its pages in the query (40), each with six robots in ten visitors.',
    ],
    tables: [{ title: '', columns, rows }],
    targets: defaults.flatMap(([name, , , hinted, opened, , bytes]) => {
      const wanted = wantedOf.find(({ log }) => String(name).startsWith(log));
      if (wanted === undefined) return [];
      const target = (what: string, limit: number, measured: Cell | undefined): Target => ({
        ...{ what: `${name}: ${what}`, limit, unit: '%', judgedBy: 'median' },
        ...(what !== 'bytes of documents' && { bound: 'at least' }),
        measured: spreadOf([Number(measured)]),
      });
      return [
        target('clicks hinted', wanted.share, hinted),
        target('hints opened', wanted.precision, opened),
        target('bytes of documents', 8, bytes),
      ];
    }),
  };
}

const wantedOf = [
  { log: 'epa', share: 18, precision: 20 },
  { log: 'elastic', share: 10, precision: 20 },
  { log: 'wordpress', share: 15, precision: 15 },
];

async function realLogs(paths: readonly string[]): Promise<Log[]> {
  const logs: Log[] = [];
  for (const path of paths) {
    const builder = new TraceBuilder();
    for await (const batch of readLog([path])) {
      for (const access of batch) builder.add(access);
    }
    const trace = builder.build();
    const documentBytes = await bytesOfDocuments(path, trace);
    logs.push({ name: basename(path).replace(/\..*/, ''), trace, documentBytes });
  }
  return logs;
}

/** As the log has them: pages and downloads. */
async function bytesOfDocuments(path: string, trace: Trace): Promise<number> {
  const builder = new TraceBuilder();
  for await (const batch of readLog([path], withConstants({ asPaper: true }))) {
    for (const access of batch) builder.add(access);
  }
  const fromMs = trace.accesses[Math.round(taught * trace.accesses.length)]?.timeMs ?? 0;
  let sum = 0;
  for (const { client, file, status, timeMs, bytes } of builder.build().accesses) {
    const isMeasured = status === 200 && timeMs >= fromMs;
    if (isMeasured && file.isDocument && client.isPerson) sum += bytes;
  }
  return sum;
}

function generated(): Log[] {
  return siteKinds.map((site) => ({
    name: `${site.name} (generated)`,
    trace: traceOf(siteLog(site)),
    documentBytes: null,
  }));
}

function figures(
  trace: Trace,
  { predictor, threshold, engine = {} }: Setting,
  part: { train: number; simulate?: number },
): PageFigures {
  const { window, limit } = defaultSetting;
  const p = threshold ?? defaultSetting.threshold;
  const { points } = simulate(trace, {
    ...{ rules: 'service', window, engineOptions: engine, ...part },
    predictor: predictor ?? defaultSetting.predictor,
    points: [{ model: 'simple', threshold: p, limit }],
  });
  return points[0]?.pages as PageFigures;
}

function cells(late: PageFigures, early: PageFigures, documentBytes: number | null): Cell[] {
  const percent = (part: number, whole: number) => (whole === 0 ? null : (100 * part) / whole);
  const { clicks, hintedClicks, hints, unusedHints, byteIncrease, bytes } = late;
  return [
    clicks,
    percent(hintedClicks, clicks),
    percent(hints - unusedHints, hints),
    100 * byteIncrease,
    documentBytes === null ? null : percent(byteIncrease * bytes, documentBytes),
    percent(early.hintedClicks, early.clicks),
  ];
}

const columns: Column[] = [
  { name: 'log', meaning: 'read with the default filter', text: true },
  { name: 'setting', meaning: 'what differs from the defaults', text: true },
  {
    name: 'clicks',
    meaning: 'of people, to a page that is new to their visit, in the last 40 %',
    digits: 0,
  },
  { name: 'hinted %', meaning: 'of these clicks: hinted before in the visit', digits: 1 },
  { name: 'opened %', meaning: 'of the hinted pages', digits: 0 },
  { name: 'bytes %', meaning: 'hinted pages that nobody opened, of all bytes', digits: 1 },
  {
    name: 'of documents %',
    meaning: 'the same of the bytes of all documents opened, downloads included',
    digits: 1,
  },
  {
    name: 'first 10 %: hinted %',
    meaning: 'of the clicks in the first 10 % of the log',
    digits: 1,
  },
];
