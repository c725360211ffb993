// Whether slow start limits the loads of figure 5 (Padmanabhan 1995, 6): the same document with a first window of one, two
// and ten segments, and how many segments the server had on the way at most.

import { links } from '../page-loads/links.ts';
import type { Cell, Table } from '../result.ts';
import { spreadOf } from '../spread.ts';
import { singleLoads } from './single-loads.ts';

export async function slowStartTable(rounds: number, say: (line: string) => void): Promise<Table> {
  const rows: Cell[][] = [];
  for (const initialWindow of [1, 2, 10]) {
    say(`figure 5 with a first window of ${initialWindow}`);
    const link = { ...links.t1, initialWindow };
    const shape = { link, imageBytes: 2_544, images: 10, workMs: 0 };
    const { ms, inFlight } = await singleLoads(shape, rounds);
    rows.push([
      initialWindow,
      ...[spreadOf(ms.standard), spreadOf(ms['long-lived']), spreadOf(ms.pipelined)],
      ...[inFlight.standard, inFlight['long-lived'], inFlight.pipelined],
    ]);
  }
  const ms = (way: string) => ({ name: `${way} ms`, meaning: 'to load the document', digits: 0 });
  const inFlight = (way: string) => ({
    ...{ name: `${way} in flight`, digits: 0 },
    meaning: 'segments with data on the way at most, by the trace',
  });
  const ways = ['standard', 'long-lived', 'pipelined'];
  const first = { name: 'first window', meaning: 'of the server, segments', digits: 0 };
  return {
    title: `Slow start and images of the median size: 10 x 2,544 bytes, ${links.t1.name}`,
    columns: [first, ...ways.map(ms), ...ways.map(inFlight)],
    rows,
  };
}
