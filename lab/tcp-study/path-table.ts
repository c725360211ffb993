// Send buffers below the bandwidth-delay product, over the WAN (Heidemann 1996, 2.5). The paper gives no figures.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { links } from '../page-loads/links.ts';
import type { Cell, Column, Table } from '../result.ts';
import { Scratch } from '../scratch.ts';
import { ratios, spreadOf } from '../spread.ts';
import { Place } from './place.ts';
import { inRounds, type TcpStudySettings } from './rounds.ts';

interface Setting {
  name: string;
  kernel: [name: string, value: string];
  /** The same without the fault. */
  base?: string;
}

const buffers = 'net.ipv4.tcp_wmem';
const usualBuffers = '4096 16384 4194304';
/** Least, first and most bytes: the kernel doubles what is set, and counts its own overhead in it. */
const smallBuffers = '4096 8192 8192';
const settings: Setting[] = [
  { name: 'send buffer as the kernel likes', kernel: [buffers, usualBuffers] },
  {
    name: 'send buffer of 8 KB',
    kernel: [buffers, smallBuffers],
    base: 'send buffer as the kernel likes',
  },
];
const documentBytes = 200_000;

const columns: Column[] = [
  { name: 'setting', meaning: "of the kernel at the server's end" },
  {
    name: 'documents, ms',
    meaning: 'two documents of 200,000 bytes on one connection',
    digits: 1,
  },
  { name: 'to the line before', meaning: 'ratio in the same round' },
];

export async function pathTable({ rounds, say }: TcpStudySettings): Promise<Table> {
  say('WAN, send buffers');
  using scratch = new Scratch();
  writeFileSync(join(scratch.path, 'document.gif'), Buffer.alloc(documentBytes, 'x'));
  await using place = await Place.open(links.wan, scratch.path);
  const samples = await inRounds(settings, rounds, async ({ kernel: [name, value] }) => {
    await place.link.setKernel('server', buffers, usualBuffers);
    await place.link.setKernel('server', name, value);
    const paths = ['/document.gif', '/document.gif'];
    return (await place.visit('', { paths })).ms;
  });
  const rows = settings.map((setting): Cell[] => {
    const { name, base } = setting;
    const own = samples.get(setting) ?? [];
    const other = settings.find((each) => each.name === base);
    const others = other && samples.get(other);
    return [name, spreadOf(own), others ? spreadOf(ratios(own, others)) : null];
  });
  return { title: 'Send buffers, WAN (2 x 45 ms, 10 Mbit/s)', columns, rows };
}
