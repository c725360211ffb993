// The HTML of Microscape alone over a modem of 28.8 kbit/s (Nielsen, Gettys et al. 1997, 8.3): as it is and deflated, by
// modems that compress as V.42bis does and by modems that do not, and with its tags in other cases.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Link, type LinkCounts, type LinkSettings } from '../link/link.ts';
import { links } from '../page-loads/links.ts';
import { originPort, ports } from '../page-loads/nginx.ts';
import { nginxAndOrigin } from '../page-loads/nginx-and-origin.ts';
import { microscape } from '../paths.ts';
import { LineProcess } from '../processes.ts';
import type { Cell, Column, Table } from '../result.ts';
import { Scratch } from '../scratch.ts';
import { type Spread, spreadOf } from '../spread.ts';
import type { HtmlAnswer, HtmlRequest } from './html-worker.ts';
import { type CaseVariant, tagCases } from './tag-case.ts';

/** The level of zlib's default, which the paper used. */
export const paperLevel = 6;

interface Line {
  name: string;
  settings: LinkSettings;
}

/** The line between modems that do not compress. */
export const bare: Line = { name: 'no compression', settings: links.ppp };
/** The same with TCP of the time: two segments in the first window, acknowledgments delayed by 200 ms. */
export const of1997: Line = {
  name: 'no compression, TCP of 1997',
  settings: { ...links.ppp, initialWindow: 2, delayedAckMs: 200 },
};
/** The line between modems that compress. */
export const compressing: Line = {
  name: 'V.42bis',
  settings: { ...links.ppp, lineCoder: new URL('modem.ts', import.meta.url).href },
};

interface Got {
  packets: Spread;
  seconds: Spread;
}

type Server = 'our server' | 'nginx';
const servers: Server[] = ['our server', 'nginx'];
const printed: Record<Server, [plain: [number, number], deflated: [number, number]]> = {
  'our server': [
    [67, 12.21],
    [21, 4.35],
  ],
  nginx: [
    [67, 12.13],
    [21, 4.43],
  ],
};

/** What a table of the paper has, and what claims are judged by. */
export interface HtmlAlone {
  tables: Table[];
  /** Seconds of the page from our server, by the line's name: as it is and deflated. */
  seconds: Map<string, { plain: number; deflated: number }>;
  packets: { plain: number; deflated: number };
  /** Seconds of the deflated page by the case of its tags, from nginx, without modems that compress. */
  caseSeconds: Map<string, number>;
}

export async function htmlAlone(rounds: number, say: (line: string) => void): Promise<HtmlAlone> {
  using scratch = new Scratch();
  const html = readFileSync(join(microscape, 'index.html'));
  const cases = tagCases(String(html)).filter(({ name }) => shownCases.has(name));
  const folder = join(scratch.path, 'site');
  mkdirSync(folder);
  writeFileSync(join(folder, 'index.html'), html);
  for (const one of cases) writeFileSync(join(folder, fileOf(one)), one.html);
  const rows: Cell[][] = [];
  const caseRows = new Map<string, Cell[]>(
    cases.map(({ name, html }) => [name, [name, html.length]]),
  );
  const result: HtmlAlone = {
    tables: [],
    seconds: new Map(),
    packets: { plain: 0, deflated: 0 },
    caseSeconds: new Map(),
  };
  for (const line of [bare, of1997, compressing]) {
    say(`the HTML alone, ${line.name}`);
    await using getter = await HtmlGetter.open(line.settings, folder, scratch.path);
    for (const server of servers) {
      const plain = await getter.get(server, '/', false, rounds);
      const deflated = await getter.get(server, '/', true, rounds);
      rows.push(...rowsOf(server, line.name, plain, deflated));
      if (server !== 'our server') continue;
      const [first, second] = [plain, deflated].map(({ seconds }) => seconds.median);
      result.seconds.set(line.name, { plain: first as number, deflated: second as number });
      if (line !== bare) continue;
      result.packets = { plain: plain.packets.median, deflated: deflated.packets.median };
    }
    for (const one of line === of1997 ? [] : cases) {
      // Without compression at all, the case is of no account: the bytes are as many.
      const isPlain = line === compressing;
      const { seconds } = await getter.get('nginx', `/${fileOf(one)}`, !isPlain, 1);
      caseRows.get(one.name)?.push(seconds.median);
      if (!isPlain) result.caseSeconds.set(one.name, seconds.median);
    }
  }
  result.tables = [
    { title: 'Section 8.3: the HTML alone over 28.8 kbit/s', columns, rows },
    { title: 'Case of tags over 28.8 kbit/s', columns: caseColumns, rows: [...caseRows.values()] },
  ];
  return result;
}

const shownCases = new Set(['lower case', 'upper case', 'mixed: each letter upper or lower']);
const fileOf = ({ name }: CaseVariant) => `${name.split(/\W/)[0]}.html`;

const columns: Column[] = [
  { name: 'server', meaning: 'our own stands for Jigsaw, nginx for Apache', text: true },
  {
    name: 'line',
    meaning:
      'what modems do with the bytes; the paper does not say what its modems did. TCP of 1997: a first window of two segments, acknowledgments delayed by 200 ms',
    text: true,
  },
  {
    name: 'page',
    meaning: 'as it is, or deflated by the server; saved: the difference in %',
    text: true,
  },
  { name: 'Pa printed', meaning: 'packets both ways, as printed', digits: 1 },
  { name: 'Pa', meaning: 'packets both ways, counted by the link', digits: 1 },
  { name: 'Sec printed', meaning: 'seconds, as printed' },
  { name: 'Sec', meaning: 'seconds from the start of connecting to the last byte' },
];

function rowsOf(server: Server, line: string, plain: Got, deflated: Got): Cell[][] {
  const [[pa, sec], [paDeflated, secDeflated]] = printed[server];
  const saved = (before: number, after: number) => 100 * (1 - after / before);
  return [
    [server, line, 'as it is', pa, plain.packets, sec, plain.seconds],
    [server, line, 'deflated', paDeflated, deflated.packets, secDeflated, deflated.seconds],
    [
      ...[server, line, 'saved, %'],
      ...[saved(pa, paDeflated), saved(plain.packets.median, deflated.packets.median)],
      ...[saved(sec, secDeflated), saved(plain.seconds.median, deflated.seconds.median)],
    ],
  ];
}

const caseColumns: Column[] = [
  { name: 'tags', meaning: 'names of elements and attributes', text: true },
  { name: 'HTML bytes', meaning: 'before compression', digits: 0 },
  { name: 'Sec, deflated', meaning: 'compressed by nginx, by modems that do not compress' },
  { name: 'Sec, V.42bis', meaning: 'as it is, by modems that compress' },
];

/** The two servers on a folder behind a link, and the process that gets documents before it. */
class HtmlGetter implements AsyncDisposable {
  readonly #stack: AsyncDisposableStack;
  readonly #link: Link;
  readonly #worker: LineProcess;

  private constructor(stack: AsyncDisposableStack, link: Link, worker: LineProcess) {
    this.#stack = stack;
    this.#link = link;
    this.#worker = worker;
  }

  static async open(settings: LinkSettings, folder: string, scratch: string): Promise<HtmlGetter> {
    await using stack = new AsyncDisposableStack();
    const link = stack.use(await Link.open(settings));
    stack.use(await nginxAndOrigin(paperLevel)(link, folder, scratch));
    const file = fileURLToPath(new URL('html-worker.ts', import.meta.url));
    const worker = stack.use(new LineProcess(...link.at('client', [process.execPath, file])));
    const getter = new HtmlGetter(stack.move(), link, worker);
    // Code is compiled and files are read before anything counts.
    for (const server of servers) await getter.get(server, '/', true, 1);
    return getter;
  }

  async get(server: Server, path: string, isDeflated: boolean, times: number): Promise<Got> {
    const taken: Array<{ ms: number; counts: LinkCounts }> = [];
    for (let time = 0; time < times; time++) taken.push(await this.#once(server, path, isDeflated));
    return {
      packets: spreadOf(taken.map(({ counts: { up, down } }) => up.packets + down.packets)),
      seconds: spreadOf(taken.map(({ ms }) => ms / 1000)),
    };
  }

  async #once(server: Server, path: string, isDeflated: boolean) {
    const port = server === 'our server' ? originPort : ports[isDeflated ? 'gzip' : 'plain'].http1;
    const coding = server === 'our server' ? 'deflate' : 'gzip';
    const request: HtmlRequest = {
      url: `http://${this.#link.serverAddress}:${port}${path}`,
      coding: isDeflated ? coding : 'identity',
    };
    this.#worker.send(JSON.stringify(request));
    const { ms, bytes } = JSON.parse(await this.#worker.nextLine(60_000)) as HtmlAnswer;
    if (bytes < 40_000) throw new Error(`not the whole document: ${bytes} bytes`);
    return { ms, counts: await this.#link.counts() };
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#stack.disposeAsync();
  }
}
