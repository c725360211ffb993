// The effect of the first segment (8.1): how many images the first piece of the page names, how many requests leave before
// the page is complete, and what that saves against a client that waits for the whole page; in clear and in two
// content codings.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Transform } from 'node:stream';
import { createGunzip, createZstdDecompress, gzipSync, zstdCompressSync } from 'node:zlib';
import { links } from '../../page-loads/links.ts';
import { microscape } from '../../paths.ts';
import type { Cell, Column, Table } from '../../result.ts';
import { inRounds, type TcpStudySettings } from '../../tcp-study/rounds.ts';
import { RobotPlace, servedBy } from '../robot-place.ts';
import { tcpOf1997 } from './clients.ts';
import { byLoader, type Sample, spread } from './samples.ts';

/** Bytes of the page in the first segment: an Ethernet's segment with timestamps, less the response's header section. */
const firstBytes = 1448 - 300;

const codings = ['plain', 'gzip', 'zstd'] as const;
type Coding = (typeof codings)[number];
const settings = codings.flatMap((coding) =>
  (['segment', null] as const).map((flush) => ({ coding, flush })),
);
type Setting = (typeof settings)[number];

const columns: Column[] = [
  { name: 'line', meaning: 'with windows that begin with two segments, as in 1997', text: true },
  { name: 'HTML', meaning: 'in clear, or the content coding that the client asks for', text: true },
  { name: 'KB in it', meaning: '1,000 bytes of HTML that the first segment has', digits: 1 },
  { name: 'named in it', meaning: 'images that the first segment names, of 42', digits: 0 },
  {
    name: 'ahead',
    meaning: 'requests for images that left before the page was complete',
    digits: 0,
  },
  { name: 'ms', meaning: 'first visit, pieces scanned and flushed as they come', digits: 0 },
  {
    name: 'ms whole',
    meaning: 'the same where no request for an image leaves before the whole page is there',
    digits: 0,
  },
  { name: 'saved ms', meaning: 'the difference', digits: 0 },
  { name: 'saved %', meaning: 'the same, per cent', digits: 1 },
];

export interface FirstSegment {
  table: Table;
  named: Record<Coding, number>;
}

export async function firstSegment({ rounds, say }: TcpStudySettings): Promise<FirstSegment> {
  const inIt = await firstPieces();
  const rows: Cell[][] = [];
  for (const line of [links.lan, links.wan, links.t1]) {
    say(`first segment, ${line.name}`);
    await using place = await RobotPlace.open(
      { ...line, ...tcpOf1997, delayedAckMs: 0 },
      servedBy('own'),
    );
    const samples = await inRounds(settings, rounds, (setting) => load(place, setting));
    for (const coding of codings) {
      const of = (flush: Setting['flush']) =>
        samples.get(
          settings.find((each) => each.coding === coding && each.flush === flush) as Setting,
        ) as Sample[];
      const ms = ({ ms }: Sample) => ms;
      const [asItComes, whole] = [spread(of('segment'), ms), spread(of(null), ms)];
      rows.push([
        ...[line.name, coding, inIt[coding].bytes / 1000, inIt[coding].named],
        ...[spread(of('segment'), ({ ahead }) => ahead), asItComes, whole],
        whole.median - asItComes.median,
        100 * (1 - asItComes.median / whole.median),
      ]);
    }
  }
  const title = 'The effect of the first segment';
  const named = Object.fromEntries(codings.map((coding) => [coding, inIt[coding].named]));
  return { table: { title, columns, rows }, named: named as FirstSegment['named'] };
}

function load(place: RobotPlace, { coding, flush }: Setting): Promise<Sample> {
  const accepted = coding === 'plain' ? 'identity' : coding;
  return byLoader(place, {
    options: {
      ...{ protocol: 'pipelined', connections: 1, batch: { flush } },
      extraHeaders: { 'accept-encoding': accepted },
    },
    constants: { batch: { maxEndWaitMs: 0 } },
  });
}

/** The HTML that a client has of the first segment in each coding, compressed as our server does. */
async function firstPieces(): Promise<Record<Coding, { bytes: number; named: number }>> {
  const html = readFileSync(join(microscape, 'index.html'));
  const of = (piece: Buffer) => ({
    bytes: piece.length,
    named: new Set(piece.toString('latin1').match(/\bsrc="[^"]+"/g)).size,
  });
  return {
    plain: of(html.subarray(0, firstBytes)),
    gzip: of(await beginning(gzipSync(html, { level: 9 }), createGunzip())),
    zstd: of(await beginning(zstdCompressSync(html), createZstdDecompress())),
  };
}

/** What a decoder makes of the first bytes. */
async function beginning(compressed: Buffer, decoder: Transform): Promise<Buffer> {
  const pieces: Buffer[] = [];
  decoder.on('data', (piece: Buffer) => pieces.push(piece));
  await new Promise((resolve) => decoder.write(compressed.subarray(0, firstBytes), resolve));
  await new Promise(setImmediate);
  decoder.destroy();
  return Buffer.concat(pieces);
}
