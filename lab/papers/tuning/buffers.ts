// What empties the write buffer of a pipeline, and how large it is (4.1, 4.1.1, 8.1): the robot's rules on a revalidation
// by HEAD and on a first visit, and the loader's rules on a first visit.

import type { BatchOptions } from '../../../loader/index.ts';
import type { Cell, Column, Table } from '../../result.ts';
import { inRounds, type TcpStudySettings } from '../../tcp-study/rounds.ts';
import type { WriteBuffer } from '../robot.ts';
import { RobotPlace, servedBy } from '../robot-place.ts';
import { lans } from './clients.ts';
import { byLoader, byRobot, packets, type Sample, spread, type Visit } from './samples.ts';

interface Rule {
  name: string;
  timerMs: number;
  flush: WriteBuffer['flush'];
}

const finalRule: Rule = { name: "page's request, 50 ms", timerMs: 50, flush: ['page'] };
const pieceRule: Rule = {
  name: "page's request, first segment's images",
  timerMs: 1000,
  flush: ['page', 'piece'],
};
/** In the order in which the paper tried them; the last is the one that it had not tried. */
export const rules: Rule[] = [
  { name: '1 s (table 3)', timerMs: 1000, flush: [] },
  { name: '50 ms', timerMs: 50, flush: [] },
  { name: "page's request, 1 s", timerMs: 1000, flush: ['page'] },
  finalRule,
  { name: "page's request, last image", timerMs: 1000, flush: ['page', 'end'] },
  pieceRule,
];
export const sizes = [512, 1024, 1460, 2048, 4096];

const visitOf = (kind: 'head' | 'first', bytes: number, { timerMs, flush }: Rule): Visit => ({
  ...{ version: '1.1', connections: 1, lines: 'pipelined', kind },
  buffer: { bytes, timerMs, flush },
});

const figures: Column[] = [
  {
    name: 'ms',
    meaning: "to validate (or first visit), with the kernel's TCP of today",
    digits: 0,
  },
  {
    name: 'ms 1997',
    meaning:
      'the same with windows that begin with two segments and acknowledgments at a beat of 200 ms',
    digits: 0,
  },
  { name: 'Pa', meaning: 'packets both ways, counted by the link, today', digits: 0 },
  { name: 'writes', meaning: 'writes that carried requests', digits: 0 },
  {
    name: 'ahead',
    meaning: 'requests for images that left before the page was complete',
    digits: 0,
  },
];
const rule: Column = {
  name: 'flush',
  meaning:
    "what writes the buffer before it is full: behind the page's own request, behind the last image, behind the images of each piece of the page; and a timer",
  text: true,
};
const size: Column = { name: 'buffer bytes', meaning: 'size of the buffer', digits: 0 };

/** A table of settings by one figure each, on both kinds of TCP. */
async function tableOf<Setting extends { cells: Cell[] }>(
  title: string,
  columns: Column[],
  settings: Setting[],
  { rounds, say }: TcpStudySettings,
  measure: (place: RobotPlace, setting: Setting) => Promise<Sample>,
): Promise<{ table: Table; today: Sample[][] }> {
  const on = async (lan: (typeof lans)['today']) => {
    say(`${title}, ${'delayedAckMs' in lan ? 'TCP of 1997' : 'TCP of today'}`);
    await using place = await RobotPlace.open(lan, servedBy('own'));
    const samples = await inRounds(settings, rounds, (each) => measure(place, each));
    return settings.map((each) => samples.get(each) as Sample[]);
  };
  const today = await on(lans.today);
  const old = await on(lans.of1997);
  const rows = settings.map(({ cells }, at): Cell[] => [
    ...cells,
    spread(today[at] as Sample[], ({ ms }) => ms),
    spread(old[at] as Sample[], ({ ms }) => ms),
    spread(today[at] as Sample[], packets),
    spread(today[at] as Sample[], ({ writes }) => writes),
    spread(today[at] as Sample[], ({ ahead }) => ahead),
  ]);
  return { table: { title, columns: [...columns, ...figures], rows }, today };
}

export interface Tuned {
  tables: Table[];
  /** Samples of the revalidation by rule, and by size for the paper's last rule. */
  byRule: Sample[][];
  bySize: Sample[][];
}

export async function buffers(bench: TcpStudySettings): Promise<Tuned> {
  const ruled = await tableOf(
    'Tuning of the flush, 1,024 bytes, LAN',
    [{ name: 'visit', meaning: 'validation: the page, and HEAD for the images', text: true }, rule],
    (['head', 'first'] as const).flatMap((kind) =>
      rules.map((each) => ({
        cells: [kind === 'head' ? 'validation' : 'first', each.name],
        visit: visitOf(kind, 1024, each),
      })),
    ),
    bench,
    (place, { visit }) => byRobot(place, visit),
  );
  const sized = await tableOf(
    'Size of the buffer, validation, LAN',
    [size, rule],
    [finalRule, pieceRule].flatMap((each) =>
      sizes.map((bytes) => ({ cells: [bytes, each.name], visit: visitOf('head', bytes, each) })),
    ),
    bench,
    (place, { visit }) => byRobot(place, visit),
  );
  const loaded = await tableOf(
    "The loader's `batch`, first visit, LAN",
    [
      { ...size, meaning: '`batch.maxBytes`' },
      {
        name: 'batch.flush',
        meaning: 'ms; `segment`, the default; or null: the end of the document',
        text: true,
      },
    ],
    [512, 1024, 2048, 4096, 14_600].flatMap((maxBytes) =>
      ([1000, 50, null, 'segment'] as const).map((flush) => ({
        cells: [maxBytes, String(flush)],
        batch: { maxBytes, flush } satisfies BatchOptions,
      })),
    ),
    bench,
    (place, { batch }) =>
      byLoader(place, {
        options: { protocol: 'pipelined', connections: 1, batch, ...plain },
        // Requests do not wait for the end of the HTML: only the rule under study decides.
        constants: { batch: { maxEndWaitMs: 0 } },
      }),
  );
  return {
    tables: [ruled.table, sized.table, loaded.table],
    byRule: ruled.today.slice(0, rules.length),
    bySize: sized.today.slice(0, sizes.length),
  };
}

export const plain = { extraHeaders: { 'accept-encoding': 'identity' } };
