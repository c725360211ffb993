// A server that serves five requests on each connection, with the page of Nielsen, Gettys et al. 1997 and a pipelining
// client: closed half by half, and both halves at once.

import { readTrace } from '../link/trace.ts';
import { links, loadWorkerFile } from '../page-loads/links.ts';
import type { LoadAnswer, LoadRequest } from '../page-loads/load-worker.ts';
import { LineProcess } from '../processes.ts';
import type { Cell, Column, Table } from '../result.ts';
import { Scratch } from '../scratch.ts';
import { ratios, spreadOf } from '../spread.ts';
import { Place } from './place.ts';
import { fixtures, inRounds, type TcpStudySettings } from './rounds.ts';

const settings: { name: string; study: string; requests?: number }[] = [
  { name: 'no limit', study: '' },
  { name: '5 requests a connection', study: '', requests: 5 },
  {
    name: '5 requests a connection, both halves closed',
    study: 'close-both-halves',
    requests: 5,
  },
];

const columns: Column[] = [
  { name: 'server', meaning: 'what it does to connections' },
  {
    name: 'page, ms',
    meaning: 'completeMs of `loadPage`, pipelined, one connection at a time',
    digits: 0,
  },
  { name: 'to no limit', meaning: 'ratio in the same round' },
  { name: 'requests', meaning: 'sent for 43 resources; more: sent again', digits: 0 },
  { name: 'connections', meaning: 'opened for the page', digits: 0 },
  { name: 'resets', meaning: 'RST from the server', digits: 0 },
  { name: 'packets', meaning: 'both ways, all of TCP counted', digits: 0 },
  { name: 'failed', meaning: 'resources that did not load in the end', digits: 0 },
];

export async function pipelineTable({ rounds, say }: TcpStudySettings): Promise<Table> {
  say('WAN, requests per connection');
  using scratch = new Scratch();
  const traceFile = `${scratch.path}/trace`;
  await using place = await Place.open({ ...links.wan, traceFile }, fixtures);
  const { link } = place;
  await using worker = new LineProcess(...link.at('client', [process.execPath, loadWorkerFile]));
  const samples = await inRounds(settings, rounds, async ({ study, requests }) => {
    const url = `http://${link.serverAddress}:${await place.origin(study, requests)}/microscape/`;
    await link.counts();
    const before = readTrace(traceFile).length;
    const options = { protocol: 'pipelined', connections: 1 } as const;
    worker.send(JSON.stringify({ url, options } satisfies LoadRequest));
    const answer = JSON.parse(await worker.nextLine(120_000)) as LoadAnswer;
    const { up, down } = await link.counts();
    const passed = readTrace(traceFile).slice(before);
    const resets = passed.filter(({ direction, isReset }) => direction === 'down' && isReset);
    return { ...answer, packets: up.packets + down.packets, resets: resets.length };
  });
  const times = (setting: (typeof settings)[number] | undefined) =>
    (setting && samples.get(setting)?.map(({ completeMs }) => completeMs)) ?? [];
  const rows = settings.map((setting): Cell[] => {
    const taken = samples.get(setting) ?? [];
    const of = (value: (sample: (typeof taken)[number]) => number) => spreadOf(taken.map(value));
    return [
      setting.name,
      spreadOf(times(setting)),
      spreadOf(ratios(times(setting), times(settings[0]))),
      of(({ requests }) => requests),
      of(({ connections }) => connections),
      of(({ resets }) => resets),
      of(({ packets }) => packets),
      of(({ errors }) => errors.length),
    ];
  });
  return { title: 'Requests per connection, WAN (2 x 45 ms, 10 Mbit/s)', columns, rows };
}
