// Which faults `loadahead audit` names (kind `split-responses`), end to end over the link: it sees times, so it can only
// name a fault that costs its client something.

import { links } from '../page-loads/links.ts';
import { microscape, sourceCommand } from '../paths.ts';
import { run } from '../processes.ts';
import type { Cell, Column, Table } from '../result.ts';
import { asIn1996, clientOf1996 } from './client-of-1996.ts';
import { Place } from './place.ts';

const faults = [
  '',
  'split-headers',
  'nagle',
  'bsd-nagle,small-buffers',
  'split-headers,nagle',
  'split-headers,bsd-nagle,small-buffers',
];
const clients = [
  { name: 'client of today', initialWindow: 10, delayedAckMs: 0 },
  { name: 'client of 1996', ...clientOf1996 },
];

const columns: Column[] = [
  {
    name: 'faults',
    meaning: 'of the server, by the names of `--study`; none: `loadahead serve` as it is',
    text: true,
  },
  ...clients.flatMap(({ name }): Column[] => [
    {
      name: `${name}, ms`,
      meaning: 'the page, one request at a time on one connection',
      digits: 0,
    },
    {
      name: `audit, ${name}`,
      meaning: 'what `loadahead audit URL --protocol persistent` says of it; -: nothing',
      text: true,
    },
  ]),
];

interface Audit {
  load: { timing: { completeMs: number } };
  findings: { kind: string; items: { note: string }[] }[];
}

export async function auditTable(say: (line: string) => void): Promise<Table> {
  const rows = faults.map((study): Cell[] => [study || 'none']);
  for (const { name, ...client } of clients) {
    say(`audit, ${name}`);
    await using place = await Place.open({ ...links.lan, ...client }, microscape);
    const { link } = place;
    if (client.delayedAckMs > 0) await asIn1996(link);
    for (const [index, study] of faults.entries()) {
      const url = `http://${link.serverAddress}:${await place.origin(study)}/`;
      const flags = ['--protocol', 'persistent', '--connections', '1', '--json'];
      const args = [sourceCommand, 'audit', url, ...flags];
      const { stdout } = await run(...link.at('client', [process.execPath, ...args]));
      const { load, findings } = JSON.parse(stdout) as Audit;
      const found = findings.find(({ kind }) => kind === 'split-responses');
      rows[index]?.push(load.timing.completeMs, found?.items[0]?.note ?? '-');
    }
  }
  return { title: 'What `loadahead audit` says of each fault, Microscape', columns, rows };
}
