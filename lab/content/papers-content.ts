// Sections 8, 9.1 and 11 of Nielsen, Gettys et al. 1997: what compression and style sheets save on a modem's line, with
// printed figures beside measured ones, and what compression costs. Bytes and loads of whole pages with other content
// are those of content.ts.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { linkUnavailable } from '../link/link.ts';
import { onLink } from '../page-loads/links.ts';
import { startNginx } from '../page-loads/nginx.ts';
import { ours } from '../page-loads/ways.ts';
import { microscape } from '../paths.ts';
import type { BenchResult, Cell, Column, Table } from '../result.ts';
import { type Claim, claimTable } from './claims.ts';
import {
  type CodecCost,
  codecCosts,
  codecTable,
  type ServerCost,
  serverCosts,
  serverTable,
} from './codec-cost.ts';
import { bare, compressing, type HtmlAlone, htmlAlone, of1997, paperLevel } from './html-alone.ts';
import {
  type SavedRequests,
  type SharedSheet,
  savedByCss,
  savedTable,
  sharedSheets,
  sheetTable,
} from './style-sheets.ts';
import { type TraceSavings, traceSavings } from './trace.ts';
import { leastParameters, usualParameters, V42bisCoder } from './v42bis.ts';
import { contentVariants } from './variants.ts';

export interface PapersContentSettings {
  rounds: number;
  say: (line: string) => void;
}

export async function papersContent({ rounds, say }: PapersContentSettings): Promise<BenchResult> {
  const name = 'papers-content';
  const title = 'Nielsen, Gettys et al. 1997, sections 8 and 9: content over a modem';
  const missing = linkUnavailable(['nginx', 'ss']);
  if (missing !== null) {
    return { name, title, method: [], tables: [], targets: [], skipped: missing };
  }
  const codecs = codecCosts();
  const servers = await serverCosts();
  const saved = await savedByCss();
  const trace = traceSavings();
  const alone = await htmlAlone(rounds, say);
  const sheets = await sharedSheets(say);
  const together = await allTogether(say);
  return {
    name,
    title,
    method: [
      `The line has 28.8 kbit/s and 2 x 75 ms. Where modems compress, each direction of the link has a coder after V.42bis (lab/content/v42bis.ts): LZW with ${usualParameters.codewords.toLocaleString('en')} codewords and strings of at most ${usualParameters.longest} characters, as modems of 28.8 kbit/s agreed on, transparent for 256 characters and longer where data do not get shorter. It codes each IP packet whole, with its headers, and the packet takes the coded bytes at the rate of the line. Another implementation, libspandsp, decodes what it sends. Frames of PPP and of the modems' own protocol, and compression of headers (Van Jacobson), are left out.`,
      `The HTML is Microscape's, 43,008 bytes, loaded by one GET on a new connection, ${rounds === 1 ? 'once' : `${rounds} times`}. Our own server sends deflate of level 9, nginx gzip of level ${paperLevel}, zlib's default and the paper's: 88 bytes more. Printed is 4.35 where the packets of Apache's compressed page should stand, so 21 is taken from Jigsaw; and its 64.5 % are 63.5 % by its seconds.`,
      "Why figures differ from printed ones: packets have 52 bytes of headers, as today's carry timestamps; the first window is ten segments in place of one or two, so there are fewer waits, but as many segments. The plain page takes a second longer than printed by its headers alone: without them 43 KB take 12.0 s, so the paper's line may have compressed headers (Van Jacobson, RFC 1144). The deflated page is faster than printed, as a short transfer waits most for acknowledgments: with a first window of two segments and acknowledgments delayed by 200 ms most of the difference is gone.",
    ],
    tables: [
      claimTable([
        ...claimsOfSection8(alone, codecs, servers),
        ...claimsOfSection9(saved, sheets),
        ...claimsOfSection12(together, trace),
      ]),
      ...alone.tables,
      coders(),
      codecTable(codecs),
      serverTable(servers),
      savedTable(saved),
      sheetTable(sheets),
      together.table,
      trace.table,
    ],
    targets: [],
  };
}

/** What modems make of the HTML, beside deflate. */
function coders(): Table {
  const html = readFileSync(join(microscape, 'index.html'));
  const image = readFileSync(join(microscape, 'images/lead-view.gif'));
  const modem = (parameters: typeof usualParameters) => (bytes: Buffer) =>
    new V42bisCoder(parameters).code(bytes).length;
  const named: Array<[name: string, code: (bytes: Buffer) => number]> = [
    ['V.42bis, 2,048 codewords, 32 characters', modem(usualParameters)],
    ['V.42bis, 512 codewords, 6 characters: its least', modem(leastParameters)],
    [`deflate ${paperLevel}`, (bytes) => deflateSync(bytes, { level: paperLevel }).length],
  ];
  const columns: Column[] = [
    { name: 'coder', meaning: 'of a modem, or of a server', text: true },
    ...['HTML', 'deflated HTML', 'image'].flatMap((what) => [
      {
        name: `of ${what}`,
        meaning: 'bytes that the coder makes of it; image: lead-view.gif',
        digits: 0,
      },
      { name: `${what}, share`, meaning: 'of the bytes that went in', digits: 3 },
    ]),
  ];
  const inputs = [html, deflateSync(html), image];
  return {
    title: 'Section 8.3: modem and deflate on the same bytes',
    columns,
    rows: named.map(([name, code]): Cell[] => [
      name,
      ...inputs.flatMap((bytes) => [code(bytes), code(bytes) / bytes.length]),
    ]),
  };
}

interface Together {
  table: Table;
  /** Time of all techniques over that of HTTP/1.0, over modems that compress. */
  ratio: number;
}

/** The whole page by HTTP/1.0 and with all techniques, over modems that compress; content.ts has those that do not. */
async function allTogether(say: (line: string) => void): Promise<Together> {
  const variants = contentVariants();
  const [page, best] = ['as it is', 'css-png'].map((name) =>
    variants.find((one) => one.name === name),
  ) as [(typeof variants)[0], (typeof variants)[0]];
  say(`the whole page, ${compressing.name}`);
  const samples = await onLink(
    compressing.settings,
    { ...page.page, folder: microscape },
    async (place) => {
      const before = ours({ ...place, page: page.page }, 'http1.0 x4', 'plain', {
        ...{ protocol: 'http1.0', connections: 4 },
      });
      const after = ours({ ...place, page: best.page }, 'all', 'gzip', {
        ...{ protocol: 'pipelined', connections: 1 },
      });
      return [await before.load(), await after.load()] as const;
    },
    (link, folder, scratch) => startNginx(link, folder, scratch, paperLevel),
  );
  const [before, after] = samples;
  const row = (
    name: string,
    { ownMs, packetsUp, packetsDown, bytesDown }: typeof before,
  ): Cell[] => [
    name,
    ownMs / 1000,
    ownMs / before.ownMs,
    packetsUp + packetsDown,
    bytesDown / 1000,
  ];
  return {
    ratio: after.ownMs / before.ownMs,
    table: {
      title: 'Section 12: all techniques together, over modems that compress (V.42bis)',
      columns: [
        { name: 'load', meaning: 'page and protocol, first visit, from nginx', text: true },
        { name: 'Sec', meaning: 'seconds from the start of connecting to the last byte' },
        { name: 'to HTTP/1.0', meaning: '`Sec` over that of the first row' },
        { name: 'packets', meaning: 'both ways', digits: 0 },
        {
          name: 'KB down',
          meaning: '1,000 bytes of IP packets from the server, before the modem',
          digits: 1,
        },
      ],
      rows: [
        row('as it is, HTTP/1.0 on four connections', before),
        row('CSS and PNG, pipelined, deflated', after),
      ],
    },
  };
}

function claimsOfSection8(
  { seconds, packets, caseSeconds }: HtmlAlone,
  codecs: readonly CodecCost[],
  servers: readonly ServerCost[],
): Claim[] {
  const of = ({ name }: typeof bare) => seconds.get(name) as { plain: number; deflated: number };
  const [line, old, modem] = [of(bare), of(of1997), of(compressing)];
  const saved = (before: number, after: number) => 100 * (1 - after / before);
  const [page, best] = [6, 9].map((level) => codecs.find((one) => one.level === level)) as [
    CodecCost,
    CodecCost,
  ];
  const savedMs = 1000 * (line.plain - line.deflated);
  const onTheFly = servers.find(({ way }) => way.startsWith(`deflate ${paperLevel}`)) as ServerCost;
  const plain = servers[0] as ServerCost;
  const [lower, mixed] = ['lower case', 'mixed: each letter upper or lower'].map((name) =>
    caseSeconds.get(name),
  ) as [number, number];
  const bothMs = page.deflateMs.median + page.inflateMs.median;
  return [
    {
      section: '8.1',
      claim:
        'compression on the fly may take longer than it gains: left open; % of the gain over 28.8 kbit/s',
      printed: null,
      here: (100 * bothMs) / savedMs,
      holds: 'no',
      why: `deflate ${paperLevel} and inflate take ${bothMs.toFixed(1)} ms and save ${(savedMs / 1000).toFixed(1)} s; only on lines of some hundred Mbit/s do they take longer than they gain`,
    },
    {
      section: '8.1',
      claim:
        'compression of dynamic content might save the server time over transferring it: left open; times its processor time',
      printed: null,
      here: onTheFly.microseconds.median / plain.microseconds.median,
      holds: 'no',
      why: 'deflate costs a server far more than the 32 KB it does not have to send; only a body that was deflated before saves time',
    },
    {
      section: '8.2',
      claim: 'the time to decompress is more than offset; % of the time saved over 28.8 kbit/s',
      printed: null,
      here: (100 * page.inflateMs.median) / savedMs,
      holds: 'yes',
      why: `inflate takes ${page.inflateMs.median.toFixed(2)} ms`,
    },
    {
      section: '8.2, 8.3',
      claim:
        "deflate beats the modem's own compression: seconds of the deflated page to those of the plain one, over modems that compress",
      printed: 4.35 / 12.21,
      here: modem.deflated / modem.plain,
      holds: modem.deflated < 0.9 * modem.plain ? 'yes' : 'no',
      why: 'LZW of 2,048 strings makes 0.42 of the page, deflate 0.25',
    },
    {
      section: '8.3',
      claim: 'deflate saves 64 % of the time of the HTML, over modems that do not compress',
      printed: 64.4,
      here: saved(line.plain, line.deflated),
      holds: saved(line.plain, line.deflated) >= 60 ? 'yes' : 'no',
      why: `more by TCP of today; ${saved(old.plain, old.deflated).toFixed(0)} % with its windows and acknowledgments of 1997, which make a short transfer wait`,
    },
    {
      section: '8.3',
      claim: 'the same over modems that compress',
      printed: 64.4,
      here: saved(modem.plain, modem.deflated),
      holds: saved(modem.plain, modem.deflated) >= 60 ? 'yes' : 'no',
      why: `the printed 12.21 s are those of 43,008 bytes that no modem compressed (28.2 kbit/s); V.42bis would have sent them in ${modem.plain.toFixed(1)} s, so the paper compares with modems that did not compress`,
    },
    {
      section: '8.3',
      claim: 'and 69 % of the packets',
      printed: 68.7,
      here: saved(packets.plain, packets.deflated),
      holds: saved(packets.plain, packets.deflated) >= 60 ? 'yes' : 'no',
      why: `${packets.plain - packets.deflated} packets are saved for 46 printed; today's TCP has a few more besides, as it sends the last segment twice on so slow a line (tail loss probe, RFC 8985)`,
    },
    {
      section: '8.3',
      claim: "best compression is about the same as zlib's default: bytes of level 9 to level 6",
      printed: null,
      here: best.after / page.after,
      holds: best.after / page.after > 0.98 ? 'yes' : 'no',
      why: 'a page of 42 KB has few longer matches to find',
    },
    {
      section: '8.3',
      claim:
        'mixed case of tags compresses worse than lower case: seconds over 28.8 kbit/s, deflated',
      printed: 0.35 / 0.27,
      here: mixed / lower,
      holds: mixed / lower > 1.1 ? 'yes' : 'no',
      why: 'printed is the ratio of bytes, here of seconds; each letter of a name is drawn by itself, as the paper does not say how its case was mixed',
    },
  ];
}

function claimsOfSection9(
  saved: readonly SavedRequests[],
  sheets: readonly SharedSheet[],
): Claim[] {
  const [got] = saved as [SavedRequests];
  const validated = saved.find(({ kind }) => kind === 'validation') as SavedRequests;
  const of = (sheet: SharedSheet['sheet'], coding: SharedSheet['coding']) =>
    sheets.find((one) => one.sheet === sheet && one.coding === coding) as SharedSheet;
  const seconds = ({ first, others }: SharedSheet) => first.seconds + others.seconds;
  const shared = (coding: SharedSheet['coding']) =>
    seconds(of('one for all', coding)) / seconds(of('in each document', coding));
  const [plain, compressed] = [shared('plain'), shared('gzip')];
  return [
    {
      section: '9.1',
      claim: '22 requests fewer save about 4,600 bytes sent',
      printed: 4_600,
      here: got.requestBytes,
      holds: 'partly',
      why: `a first visit's request has ${Math.round(got.requestBytes / 22)} bytes in place of 210, and ${Math.round(validated.requestBytes / 22)} to validate, with its tag and date`,
    },
    {
      section: '9.1',
      claim: 'and about 4,300 bytes of responses, to validate',
      printed: 4_300,
      here: validated.responseBytes,
      holds: Math.abs(validated.responseBytes / 4_300 - 1) < 0.15 ? 'yes' : 'partly',
      why: `a 304 of nginx has ${Math.round(validated.responseBytes / 22)} bytes for 192 printed, a 200 ${Math.round(got.responseBytes / 22)} for 240`,
    },
    {
      section: '9.1',
      claim:
        'one style sheet for many documents saves what is sent again: seconds of six documents to those with a sheet in each',
      printed: null,
      here: plain,
      holds: plain < 1 ? 'yes' : 'no',
      why: 'the first document pays for one request more, the five after it find the sheet in the cache',
    },
    {
      section: '9.1',
      claim: 'the same with HTML and CSS compressed',
      printed: null,
      here: compressed,
      holds: compressed < 1 ? 'yes' : 'no',
      why: 'a sheet in a compressed document costs a few hundred bytes, so less is left to save',
    },
  ];
}

function claimsOfSection12({ ratio }: Together, trace: TraceSavings): Claim[] {
  return [
    {
      section: '11',
      claim:
        'transport compression saves traffic: share of all bytes, which the paper leaves to others; it saw 19 % of its page',
      printed: 0.19,
      here: trace.saved,
      holds: trace.saved > 0.1 ? 'yes' : 'no',
      why: 'estimated: bytes by kind are those of a log of 1995, ratios those of later pages, whose markup says the same things more often',
    },
    {
      section: '12',
      claim: 'all together take about 60 % of the time of HTTP/1.0, here over modems that compress',
      printed: 0.6,
      here: ratio,
      holds: ratio < 0.66 ? 'yes' : 'no',
      why: 'V.42bis shortens the plain HTML and the headers of four connections, so less is left to save; without it the figure is that of `content`',
    },
  ];
}
