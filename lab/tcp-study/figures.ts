// Figures 1 to 4 of Heidemann 1996: a transaction in which the short first segment stalls and one in which the last one
// does, drawn and listed as `loadahead packets` does; and slow start again after an idle time (2.4), which he does not draw.

import { createReadStream, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { captureOf } from '../../loader/packets/capture.ts';
import type { TcpConnection } from '../../loader/packets/connections.ts';
import { renderPacketsSvg } from '../../loader/packets/packets-svg.ts';
import { packetLines } from '../../loader/packets/packets-text.ts';
import type { LinkSettings } from '../link/link.ts';
import { links } from '../page-loads/links.ts';
import type { DrawnChart, Listing } from '../result.ts';
import { Scratch } from '../scratch.ts';
import { asIn1996, clientOf1996 } from './client-of-1996.ts';
import { Place } from './place.ts';
import { restart } from './restart-table.ts';
import { fixtures, threeDocuments } from './rounds.ts';

const stalls = [
  {
    ...{ picture: 'Figure 1', list: 'Figure 2', what: 'the short initial segment' },
    ...{ file: 'heidemann-figure-1.svg', study: 'split-headers' },
    alt: 'after the header section and one full segment the server waits almost 200 ms for an acknowledgment, and then sends the rest at once',
  },
  {
    ...{ picture: 'Figure 3', list: 'Figure 4', what: 'the short final segment' },
    ...{ file: 'heidemann-figure-3.svg', study: 'bsd-nagle,small-buffers' },
    alt: 'the end of the third document, shorter than a segment, waits almost 200 ms, until the one full segment before it is acknowledged',
  },
];

/** The last connections of a capture in which `measure` ran. */
async function captured(
  settings: LinkSettings,
  folder: string,
  measure: (place: Place) => Promise<void>,
): Promise<readonly TcpConnection[]> {
  using scratch = new Scratch();
  const traceFile = join(scratch.path, 'trace');
  {
    await using place = await Place.open({ ...settings, traceFile }, folder);
    await measure(place);
    await place.link.counts();
  }
  return (await captureOf(createReadStream(traceFile))).connections;
}

const visits = 12;

async function stall(study: string): Promise<TcpConnection[]> {
  const settings = { ...links.lan, ...clientOf1996 };
  const connections = await captured(settings, fixtures, async (place) => {
    await asIn1996(place.link);
    for (let visit = 0; visit < visits; visit++) {
      await place.visit(study, { paths: threeDocuments, isHttp10: true });
    }
  });
  // The first ones compile code; of the others the median is no victim of another program.
  const last = ({ packets }: TcpConnection) => packets.at(-1)?.atMs ?? 0;
  const usual = connections.slice(3).toSorted((one, next) => last(one) - last(next));
  return usual.slice(usual.length >> 1, (usual.length >> 1) + 1);
}

/** Lines of the listing before and behind the request that follows the idle time: some flights. */
const [linesBefore, linesAfter] = [3, 60];

/** Two connections: the window kept over an idle time, and slow start again. */
async function restarts(): Promise<{ chart: DrawnChart; listing: Listing }> {
  using scratch = new Scratch();
  writeFileSync(join(scratch.path, 'document.gif'), Buffer.alloc(200_000, 'x'));
  const connections = await captured(links.wan, scratch.path, async (place) => {
    const paths = ['/document.gif', '/document.gif'];
    const visit = { paths, pause: { beforeLast: 1, ms: 1_500 } };
    await place.visit('', { paths });
    for (const value of ['0', '1']) {
      await place.link.setKernel('server', restart, value);
      await place.visit('', visit);
    }
  });
  const chart = {
    file: 'heidemann-slow-start-again.svg',
    alt: 'after an idle time of 1.5 s a server that keeps its window sends a document of 200,000 bytes in one burst, one that begins slow start again needs three more round trips',
    svg: renderPacketsSvg('Idle 1.5 s, window kept; then slow start again', connections.slice(-2)),
  };
  const lines = connections.slice(-1).flatMap((connection) => [...packetLines(connection)]);
  const asked = lines.findLastIndex((line) => line.includes(' GET '));
  const shown = lines.slice(Math.max(0, asked - linesBefore), asked + linesAfter);
  const listing = {
    title: 'Slow start again after 1.5 s, as his figures list packets (2.4)',
    lines: [...shown, `# and ${lines.length - asked - linesAfter} lines more`],
  };
  return { chart, listing };
}

export async function figures(
  say: (line: string) => void,
): Promise<{ charts: DrawnChart[]; listings: Listing[] }> {
  const charts: DrawnChart[] = [];
  const listings: Listing[] = [];
  for (const { picture, list, what, file, study, alt } of stalls) {
    say(`${picture}: ${what}`);
    const connections = await stall(study);
    charts.push({ file, alt, svg: renderPacketsSvg(`${picture}, again: ${what}`, connections) });
    const lines = connections.flatMap((connection) => [...packetLines(connection)]);
    listings.push({ title: `${list} again: ${what}`, lines });
  }
  say('slow start again');
  const { chart, listing } = await restarts();
  return { charts: [...charts, chart], listings: [...listings, listing] };
}
