// Style sheets in place of images and of each other (Nielsen, Gettys et al. 1997, 9.1): the bytes of the 22 requests
// and responses that CSS saves, by themselves; and one style sheet for many documents, beside one in each of them.

import { mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { LoaderOptions } from '../../loader/index.ts';
import type { LinkCounts } from '../link/link.ts';
import { links, onLink } from '../page-loads/links.ts';
import type { LoadAnswer, LoadRequest } from '../page-loads/load-worker.ts';
import { type Coding, ports, startNginx } from '../page-loads/nginx.ts';
import { pageFolder } from '../page-loads/page-folder.ts';
import type { Place } from '../page-loads/ways.ts';
import { microscape, repository } from '../paths.ts';
import type { Cell, Column, Table } from '../result.ts';
import { Scratch } from '../scratch.ts';
import { paperLevel } from './html-alone.ts';

const pipelined: LoaderOptions = { protocol: 'pipelined', connections: 1 };
const four: LoaderOptions = { protocol: 'http1.0', connections: 4 };

interface Loaded {
  answer: LoadAnswer;
  counts: LinkCounts;
}

/** Asks the worker at the client for one load. */
async function load(
  { link, worker }: Place,
  path: string,
  options: LoaderOptions,
  visit: LoadRequest['visit'],
  coding: Coding = 'plain',
): Promise<Loaded> {
  const url = `http://${link.serverAddress}:${ports[coding].http1}${path}`;
  worker.send(JSON.stringify({ url, options, ...(visit && { visit }) } satisfies LoadRequest));
  const answer = JSON.parse(await worker.nextLine(60_000)) as LoadAnswer;
  if (answer.errors.length > 0) throw new Error(answer.errors.join('; '));
  return { answer, counts: await link.counts() };
}

/** Requests of images that HTML and CSS replace. */
export const savedRequests = 22;

type Kind = 'GET' | 'validation' | 'GET, HTTP/1.0';
const kinds: Array<[kind: Kind, options: LoaderOptions, visit: 'first' | 'again']> = [
  ['GET', pipelined, 'first'],
  ['validation', pipelined, 'again'],
  ['GET, HTTP/1.0', four, 'first'],
];

export interface SavedRequests {
  kind: Kind;
  /** Of the requests, and of the responses without their bodies. */
  requestBytes: number;
  responseBytes: number;
  packets: number;
  /** Headers of TCP and IP, both ways. */
  tcpBytes: number;
}

/** Loads of a page; the least of them counts, as TCP now and then sends a segment twice. */
const loadsOfPage = 5;

/** The difference of loads on the LAN: of the page as it is, and of css/, whose own folder is served. */
export async function savedByCss(): Promise<SavedRequests[]> {
  const page = await loadsOf(microscape);
  const css = await loadsOf(join(microscape, 'css'));
  return kinds.map(([kind], index) => {
    const [before, after] = [page[index] as Loaded[], css[index] as Loaded[]];
    const less = (value: (loaded: Loaded) => number) =>
      Math.min(...before.map(value)) - Math.min(...after.map(value));
    return {
      kind,
      requestBytes: less(({ counts: { up } }) => up.bytes - up.headerBytes),
      responseBytes: less(({ answer }) =>
        kind === 'validation' ? answer.transferBytes : answer.transferBytes - answer.bodyBytes,
      ),
      packets: less(({ counts: { up, down } }) => up.packets + down.packets),
      tcpBytes: less(({ counts: { up, down } }) => up.headerBytes + down.headerBytes),
    };
  });
}

/** @returns the loads of each kind */
function loadsOf(folder: string): Promise<Loaded[][]> {
  return onLink(links.lan, pageFolder(folder), async (place) => {
    await load(place, '/', pipelined, undefined);
    const loads: Loaded[][] = kinds.map(() => []);
    for (let time = 0; time < loadsOfPage; time++) {
      for (const [index, [, options, visit]] of kinds.entries()) {
        loads[index]?.push(await load(place, '/', options, visit));
      }
    }
    return loads;
  });
}

export function savedTable(saved: readonly SavedRequests[]): Table {
  const printed: Partial<Record<Kind, [sent: number, received: number]>> = {
    GET: [4_600, 240 * savedRequests],
    validation: [4_600, 4_300],
  };
  return {
    title: 'Section 9.1: the 22 requests and responses that CSS saves',
    columns: [
      {
        name: 'asked by',
        meaning: 'pipelined on one connection, or by HTTP/1.0 on four, from nginx',
        text: true,
      },
      {
        name: 'sent printed',
        meaning: 'bytes of 22 requests of about 210 bytes, as printed',
        digits: 0,
      },
      { name: 'sent', meaning: 'bytes of the 22 requests, here', digits: 0 },
      {
        name: 'received printed',
        meaning:
          'bytes of 22 responses without bodies: about 4,300 for 192 each to validate, as printed; 240 each to get',
        digits: 0,
      },
      { name: 'received', meaning: 'the same here', digits: 0 },
      {
        name: 'packets less',
        meaning:
          'both ways, by HTTP/1.0; pipelined, responses share packets, and the difference is lost among acknowledgments',
        digits: 0,
      },
      { name: 'TCP/IP', meaning: 'bytes of the headers of these packets', digits: 0 },
    ],
    rows: saved.map(({ kind, requestBytes, responseBytes, packets, tcpBytes }): Cell[] => {
      const [sent = null, received = null] = printed[kind] ?? [];
      const tcp = kind === 'GET, HTTP/1.0' ? [packets, tcpBytes] : [null, null];
      return [kind, sent, requestBytes, received, responseBytes, ...tcp];
    }),
  };
}

/** One style sheet for many documents, or one in each. */
export interface SharedSheet {
  coding: Coding;
  sheet: 'in each document' | 'one for all';
  first: Walked;
  others: Walked;
}

interface Walked {
  requests: number;
  bytes: number;
  seconds: number;
}

/** Six documents of one site, read in order with one cache over the modem's line; without their pictures, which
 *  would come the same. */
export async function sharedSheets(say: (line: string) => void): Promise<SharedSheet[]> {
  using scratch = new Scratch();
  const paths = writeDocuments(scratch.path);
  const page = { folder: scratch.path, path: '/', htmlBytes: 0, images: 0, bytes: 0 };
  return await onLink(
    links.ppp,
    page,
    async (place) => {
      const results: SharedSheet[] = [];
      for (const coding of ['plain', 'gzip'] as const) {
        for (const [sheet, folder] of sheetFolders) {
          say(`six documents, style sheet ${sheet}, ${coding}`);
          const walked: Walked[] = [];
          for (const [index, path] of paths.entries()) {
            const visit = index === 0 ? 'first' : 'next';
            const { answer } = await load(place, `/${folder}${path}`, pipelined, visit, coding);
            walked.push({
              requests: answer.requests,
              bytes: answer.transferBytes,
              seconds: answer.completeMs / 1000,
            });
          }
          const [first, ...others] = walked as [Walked, ...Walked[]];
          results.push({ coding, sheet, first, others: total(others) });
        }
      }
      return results;
    },
    (link, folder, temporary) => startNginx(link, folder, temporary, paperLevel),
  );
}

const sheetFolders = [
  ['in each document', 'each'],
  ['one for all', 'shared'],
] as const;

function total(walked: readonly Walked[]): Walked {
  const sum = (value: (one: Walked) => number) => walked.reduce((all, one) => all + value(one), 0);
  return {
    requests: sum(({ requests }) => requests),
    bytes: sum(({ bytes }) => bytes),
    seconds: sum(({ seconds }) => seconds),
  };
}

/** Writes the documents twice, with a style sheet in each and with one for all. @returns their paths in both */
function writeDocuments(folder: string): string[] {
  const site = join(repository, 'fixtures/twelve-pages');
  const paths = JSON.parse(readFileSync(join(site, 'walk.json'), 'utf8')).slice(0, 6) as string[];
  const sheet = readFileSync(join(site, 'round-trips.css'), 'utf8');
  // A response is fresh for a tenth of the time since its last modification (RFC 9111, 4.2.2).
  const yearAgo = new Date(Date.now() - 365 * 24 * 3_600_000);
  const write = (path: string, text: string) => {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    utimesSync(file, yearAgo, yearAgo);
  };
  write('shared/round-trips.css', sheet);
  for (const path of paths) {
    const file = path.endsWith('/') ? `${path}index.html` : path;
    const html = readFileSync(join(site, file), 'utf8').replace(/<img [^>]*>\n?/g, '');
    write(`shared${file}`, html);
    write(`each${file}`, html.replace(/<link rel="stylesheet"[^>]*>/, `<style>\n${sheet}</style>`));
  }
  return paths;
}

const sheetColumns: Column[] = [
  { name: 'style sheet', meaning: 'of six documents of one site, 1,923 bytes', text: true },
  { name: 'HTML and CSS', meaning: 'as they are, or compressed by nginx', text: true },
  { name: 'requests', meaning: 'for all six documents', digits: 0 },
  {
    name: 'first KB',
    meaning: '1,000 bytes of responses with their headers, first document',
    digits: 1,
  },
  { name: 'first Sec', meaning: 'seconds of the first document' },
  {
    name: 'others KB',
    meaning: '1,000 bytes of responses with their headers, the five after it',
    digits: 1,
  },
  { name: 'others Sec', meaning: 'seconds of the five together' },
];

export function sheetTable(results: readonly SharedSheet[]): Table {
  return {
    title: 'Section 9.1: one style sheet for many documents, over 28.8 kbit/s',
    columns: sheetColumns,
    rows: results.map(({ coding, sheet, first, others }): Cell[] => [
      ...[sheet, coding === 'plain' ? 'as they are' : 'compressed'],
      ...[first.requests + others.requests, first.bytes / 1e3, first.seconds],
      ...[others.bytes / 1e3, others.seconds],
    ]),
  };
}
