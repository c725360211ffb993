// How far each client is from the least that the network can take: ours, cold as a command and warm, and the clients that
// people have, on the same page from the same server, interleaved by round.

import { readdirSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  compareWorker,
  floorMs,
  type LinkSettings,
  linkUnavailable,
  parseLinks,
} from '../link/link.ts';
import { builtCommand } from '../paths.ts';
import { LineProcess, run } from '../processes.ts';
import type { BenchResult, Cell, Column, Table } from '../result.ts';
import { Scratch } from '../scratch.ts';
import { spreadOf } from '../spread.ts';
import { onLink } from './links.ts';
import { ports } from './nginx.ts';
import type { PageFolder } from './page-folder.ts';
import { commanded, interleave, ours, type Place, passed, type Sample, type Way } from './ways.ts';

const networks = ['lan', 'fibre', '4g', 'wan', '3g'];
const chromium = '/usr/bin/chromium';

const columns: Column[] = [
  {
    name: 'client',
    meaning:
      'loadahead: the command, a process a load; warm: `loadPage` in a process that has loaded before, new connections. curl is given the list of URLs, the others find them. h2: HTTP/2 in clear',
  },
  {
    name: 'to the floor',
    meaning:
      '`wire ms` over the least that this network can take for as many bytes as the thriftiest client received: two round trips, slow start from ten segments, the rate',
  },
  {
    name: 'wire ms',
    meaning:
      'from the first packet of the client to the last packet with data from the server, as the link saw them; of Chromium until its load event, because the icon that it asks for later is not part of the page',
    digits: 0,
  },
  {
    name: 'wall ms',
    meaning:
      'of the whole process by the clock on the wall; a warm one: of the load; Chromium, which runs already, with a new profile: from the navigation to the load event',
    digits: 0,
  },
  { name: 'packets', meaning: 'both ways, all of TCP counted', digits: 0 },
  { name: 'KB down', meaning: '1,000 bytes of IP packets from the server', digits: 0 },
];

export async function peers(settings: {
  page: PageFolder;
  rounds: number;
  say: (line: string) => void;
}): Promise<BenchResult> {
  const { page, rounds, say } = settings;
  const title = 'Distance to the floor';
  const missing = linkUnavailable(['nginx', 'ss', 'nghttp', 'curl', 'wget2', 'chromium']);
  if (missing !== null) {
    return { name: 'peers', title, method: [], tables: [], targets: [], skipped: missing };
  }
  const tables: Table[] = [];
  const clients = new Map<string, Cell[]>();
  for (const link of parseLinks(networks.join())) {
    say(link.name);
    const samples = await onLink(link, page, async (place) => {
      using scratch = new Scratch();
      await using browser = new LineProcess(
        ...place.link.at('client', [process.execPath, compareWorker('browser'), chromium]),
      );
      await browser.nextLine();
      return await interleave(ways(place, browser, scratch.path), rounds, say);
    });
    const table = tabulate(link, samples);
    tables.push(table);
    for (const [name, toFloor] of table.rows as [string, Cell][]) {
      clients.set(name, [...(clients.get(name) ?? [name]), toFloor]);
    }
  }
  const summary: Table = {
    title: 'All networks: to the floor',
    columns: [
      ...columns.slice(0, 1),
      ...networks.map((name) => ({ name, meaning: '`to the floor` over this network, as below' })),
    ],
    rows: [...clients.values()],
  };
  return {
    name: 'peers',
    title,
    method: [
      `The page (${page.images} images, ${page.bytes} bytes in all) is served by nginx in one network namespace and loaded from another, over the networks of \`loadahead compare\`. ${rounds} interleaved rounds count, one before them does not. Nobody compresses.`,
    ],
    tables: [summary, ...tables],
    targets: [],
  };
}

/** For so long after a page's load event Chromium takes processor time from whoever has the next turn. */
const afterwardsMs = 2_000;

function ways(place: Place, browser: LineProcess, scratch: string): Way[] {
  const { link, page } = place;
  const root = (port: number) => `http://${link.serverAddress}:${port}${page.path}`;
  const [url, h2Url] = [root(ports.plain.http1), root(ports.plain.http2)];
  const command = { file: builtCommand, compileCache: join(scratch, 'compile-cache') };
  const images = readdirSync(join(page.folder, 'images'));
  const list = ['', ...images.map((name) => `images/${name}`)];
  const quiet = list.flatMap((path) => ['-o', '/dev/null', `${url}${path}`]);
  const curl = ['curl', '--silent', '--fail', '--parallel', ...quiet];
  return [
    commanded(place, command, 'loadahead', 'plain', []),
    commanded(place, command, 'loadahead, pipelined', 'plain', ['--protocol', 'pipelined']),
    ours(place, 'warm', 'plain', {}),
    ours(place, 'warm, pipelined', 'plain', { protocol: 'pipelined', connections: 1 }),
    ours(place, 'warm, h2', 'plain', { protocol: 'h2' }),
    program('nghttp -a, h2', ['nghttp', '-an', h2Url]),
    program('nghttp -a -W24, h2', ['nghttp', '-an', '-w', '24', '-W', '24', h2Url]),
    program('curl --parallel', curl),
    {
      name: 'wget2 -p',
      async load() {
        const folder = await mkdtemp(join(scratch, 'wget-'));
        const flags = ['--quiet', '--page-requisites', '--no-robots', '--directory-prefix', folder];
        const sample = await program('', ['wget2', ...flags, url]).load();
        const files = readdirSync(folder, { recursive: true, withFileTypes: true });
        const found = files.filter((each) => each.isFile()).length;
        if (found !== page.images + 1) throw new Error(`wget2: ${found} files`);
        return sample;
      },
    },
    {
      name: 'Chromium',
      async load() {
        browser.send(JSON.stringify({ url, visit: 'first', options: {} }));
        const { completeMs, error } = JSON.parse(await browser.nextLine());
        if (error !== null) throw new Error(`Chromium: ${error}`);
        const sample = { ...(await sampleOf(completeMs, completeMs)), wireMs: completeMs };
        await sleep(afterwardsMs);
        return sample;
      },
    },
  ];

  function program(name: string, args: string[]): Way {
    return {
      name,
      async load() {
        const { wallMs } = await run(...link.at('client', args));
        return await sampleOf(wallMs, wallMs);
      },
    };
  }

  async function sampleOf(ownMs: number, processMs: number): Promise<Sample> {
    const rest = { firstPacketMs: null, connections: 0, batches: null, answer: null };
    return { ownMs, processMs, ...passed(await link.counts()), ...rest };
  }
}

function tabulate(link: LinkSettings, samples: Map<string, Sample[]>): Table {
  const [settings] = parseLinks(link.name);
  const least = Math.min(...[...samples.values()].flat().map(({ bytesDown }) => bytesDown));
  const floor = settings === undefined ? Number.NaN : floorMs(settings, least);
  const rows = [...samples].map(([name, taken]): Cell[] => {
    const of = (value: (sample: Sample) => number) => spreadOf(taken.map(value));
    return [
      name,
      of(({ wireMs }) => wireMs / floor),
      of(({ wireMs }) => wireMs),
      of(({ processMs, ownMs }) => processMs ?? ownMs),
      of(({ packetsUp, packetsDown }) => packetsUp + packetsDown),
      of(({ bytesDown }) => bytesDown / 1000),
    ];
  });
  const rate = `${link.downBitsPerSecond / 1e6} Mbit/s`;
  const about = `2 x ${link.delayMs} ms, ${rate}; the floor is ${floor.toFixed(0)} ms`;
  return { title: `${link.name}: ${about}`, columns, rows };
}
