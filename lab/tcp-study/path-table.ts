// What depends on the path and the kernel, over the WAN: slow start again after an idle time (Heidemann 1996, 2.4) and
// send buffers below the bandwidth-delay product (2.5). The papers give no figures.

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
  /** Documents after a pause of two seconds, longer than any retransmission time-out here. */
  pauses?: boolean;
  /** The same without the fault. */
  base?: string;
}

const restart = 'net.ipv4.tcp_slow_start_after_idle';
const buffers = 'net.ipv4.tcp_wmem';
const usualBuffers = '4096 16384 4194304';
/** Least, first and most bytes: the kernel doubles what is set, and counts its own overhead in it. */
const smallBuffers = '4096 8192 8192';
const settings: Setting[] = [
  { name: 'idle 2 s, window kept', kernel: [restart, '0'], pauses: true },
  {
    name: 'idle 2 s, slow start again',
    kernel: [restart, '1'],
    pauses: true,
    base: 'idle 2 s, window kept',
  },
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
    meaning:
      'documents of 200,000 bytes on one connection: after an idle time, the second; else both',
    digits: 1,
  },
  { name: 'to the line before', meaning: 'ratio in the same round' },
];

export async function pathTable({ rounds, say }: TcpStudySettings): Promise<Table> {
  say('WAN, idle time and buffers');
  using scratch = new Scratch();
  writeFileSync(join(scratch.path, 'document.gif'), Buffer.alloc(documentBytes, 'x'));
  await using place = await Place.open(links.wan, scratch.path);
  const samples = await inRounds(settings, rounds, async ({ kernel: [name, value], pauses }) => {
    await place.link.setKernel('server', buffers, usualBuffers);
    await place.link.setKernel('server', name, value);
    const paths = ['/document.gif', '/document.gif'];
    const pause = { beforeLast: 1, ms: 2_000 };
    const { ms, afterPauseMs } = await place.visit('', { paths, ...(pauses && { pause }) });
    return afterPauseMs ?? ms;
  });
  const rows = settings.map((setting): Cell[] => {
    const { name, base } = setting;
    const own = samples.get(setting) ?? [];
    const other = settings.find((each) => each.name === base);
    const others = other && samples.get(other);
    return [name, spreadOf(own), others ? spreadOf(ratios(own, others)) : null];
  });
  return { title: 'Idle time and send buffers, WAN (2 x 45 ms, 10 Mbit/s)', columns, rows };
}
