// Throughput of the scanners of HTML and CSS, beside programs that read the same.

import { oneCore } from '../prefetchd/one-core.ts';
import { measureIn } from '../prefetchd/worker.ts';
import type { BenchResult, Cell, Column, Table, Target } from '../result.ts';
import { ratios, type Spread, spreadOf } from '../spread.ts';
import { chunkLength } from './documents.ts';
import type { ScannerTimes, Timed } from './scanner-worker.ts';

const own = 'loadahead';
/** The most times of htmlparser2's time that our scanner may take. */
const mostOfHtmlparser2 = 2;
/** Smaller sheets are part of the sum alone. */
const leastSheetBytes = 50_000;

export async function scannerBench({
  rounds,
  say,
}: {
  rounds: number;
  say: (line: string) => void;
}): Promise<BenchResult> {
  say(`${rounds} rounds`);
  const script = '../scan/scanner-worker.ts';
  const { answer } = await measureIn<ScannerTimes>({ script, args: [rounds], pinned: true });
  const html = [...answer.html, sumOf('all pages', answer.html)];
  const large = answer.css.filter(({ bytes }) => bytes >= leastSheetBytes);
  const css = [...large, sumOf(`all ${answer.css.length} sheets`, answer.css)];
  return {
    name: 'scanner',
    title: 'Scanning HTML and CSS',
    method: [
      `One process, ${oneCore}. Every reader reads each document in turn, about 1 MB of it a time, ${rounds} rounds; four before them warm up. The time is that of the processor, garbage collection included. Documents come in chunks of ${chunkLength.toLocaleString('en')} bytes, style sheets for css-tree whole, which is all it takes.`,
      'The programs do not do the same. Our scanner takes bytes, finds the encoding, decodes, and resolves what a browser would fetch. htmlparser2 is its `Parser` with a handler of start tags, parse5 its tokenizer, and both get text that is already decoded. html-rewriter-wasm looks for six elements and copies the document to its output. Our scanner of style sheets decides what is fetched; css-tree makes tokens, and nobody looks at them.',
    ],
    tables: [htmlTable(html), cssTable(css)],
    targets: htmlTargets(html),
  };
}

function sumOf(name: string, all: readonly Timed[]): Timed {
  const readers = Object.keys(all[0]?.us ?? {});
  const sums = readers.map((reader): [string, number[]] => {
    const ofFirst = all[0]?.us[reader] ?? [];
    return [
      reader,
      ofFirst.map((_, round) => sum(all.map(({ us }) => us[reader]?.[round] ?? Number.NaN))),
    ];
  });
  return { name, bytes: sum(all.map(({ bytes }) => bytes)), us: Object.fromEntries(sums) };
}

const sum = (values: readonly number[]): number => values.reduce((total, each) => total + each, 0);

const timesOf = ({ us }: Timed, reader: string): number[] => us[reader] ?? [];

const ratioOf = (timed: Timed, reader: string, base: string): Spread =>
  spreadOf(ratios(timesOf(timed, reader), timesOf(timed, base)));

const throughputOf = (timed: Timed, reader: string): Spread =>
  spreadOf(timesOf(timed, reader).map((us) => timed.bytes / us));

const sizeColumns = (what: string): Column[] => [
  { name: what, meaning: 'of fixtures/', text: true },
  { name: 'KB', meaning: 'its size, thousands of bytes', digits: 0 },
];

function htmlTable(pages: readonly Timed[]): Table {
  const readers = Object.keys(pages[0]?.us ?? {}).filter((reader) => reader !== 'htmlparser2');
  return {
    title: 'HTML',
    columns: [
      ...sizeColumns('page'),
      { name: 'MB/s', meaning: `of ${own}, millions of bytes a second`, digits: 0 },
      ...readers.map((name) => ({ name, meaning: "time over htmlparser2's in the same round" })),
    ],
    rows: pages.map((page): Cell[] => [
      page.name,
      page.bytes / 1000,
      throughputOf(page, own),
      ...readers.map((reader) => ratioOf(page, reader, 'htmlparser2')),
    ]),
  };
}

function cssTable(sheets: readonly Timed[]): Table {
  const readers = Object.keys(sheets[0]?.us ?? {});
  const name = (reader: string) => `${reader} MB/s`;
  return {
    title: 'Style sheets',
    columns: [
      ...sizeColumns('sheet'),
      ...readers.map((reader) => ({
        name: name(reader),
        meaning: 'millions of bytes a second',
        digits: 0,
      })),
      { name: 'to css-tree', meaning: `time of ${own} over css-tree's in the same round` },
    ],
    rows: sheets.map((sheet): Cell[] => [
      sheet.name,
      sheet.bytes / 1000,
      ...readers.map((reader) => throughputOf(sheet, reader)),
      ratioOf(sheet, own, 'css-tree'),
    ]),
  };
}

function htmlTargets(pages: readonly Timed[]): Target[] {
  const all = pages.at(-1) as Timed;
  return [
    {
      what: `${all.name}: ${own}, time over htmlparser2's`,
      limit: mostOfHtmlparser2,
      unit: '',
      measured: ratioOf(all, own, 'htmlparser2'),
      judgedBy: 'median',
    },
  ];
}
