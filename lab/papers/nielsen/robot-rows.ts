// Rows of the robot over one link: `node robot-rows.ts JSON`. HTTP/1.0 on four connections with HEAD to validate, as the
// paper's robot, and with If-Modified-Since; and Keep-Alive on four and six, as the browsers of footnotes 1 and 2.

import { spreadOf } from '../../spread.ts';
import { inRounds } from '../../tcp-study/rounds.ts';
import { RobotPlace, servedBy } from '../robot-place.ts';
import type { Visit } from '../tuning/samples.ts';
import type { RobotRows, Row } from './rows.ts';

/** Names of the robot's ways, as rows have them. */
export const robotWays = {
  head: 'robot x4, HEAD',
  since: 'robot x4, If-Modified-Since',
  keepAlive4: 'Keep-Alive x4',
  keepAlive6: 'Keep-Alive x6',
} as const;

interface Step {
  way: string;
  visit: Row['visit'];
  steps: Visit;
}

const old = (connections: number, lines: 'each' | 'kept', kind: Visit['kind']): Visit => ({
  ...{ version: '1.0', connections, lines, kind },
});

/** In the order in which each finds stored what the one before it fetched. */
const steps: Step[] = [
  { way: robotWays.head, visit: 'first', steps: old(4, 'each', 'first') },
  { way: robotWays.head, visit: 'revalidate', steps: old(4, 'each', 'head') },
  { way: robotWays.since, visit: 'revalidate', steps: old(4, 'each', 'conditional') },
  ...([4, 6] as const).flatMap((count): Step[] => [
    { way: robotWays[`keepAlive${count}`], visit: 'first', steps: old(count, 'kept', 'first') },
    {
      way: robotWays[`keepAlive${count}`],
      visit: 'revalidate',
      steps: old(count, 'kept', 'conditional'),
    },
  ]),
];

if (import.meta.main) {
  const { link, server, rounds } = JSON.parse(process.argv[2] ?? '') as RobotRows;
  await using place = await RobotPlace.open(link, servedBy(server));
  const measure = async ({ steps: visit }: Step) => {
    const { ms, connections } = await place.visit(visit);
    const { up, down } = await place.counts();
    return { ms, connections, up, down };
  };
  const samples = await inRounds(steps, rounds, measure);
  const rows = steps.map((step): Row => {
    const taken = samples.get(step) ?? [];
    const of = (value: (sample: (typeof taken)[number]) => number) => spreadOf(taken.map(value));
    const both = (
      { up, down }: (typeof taken)[number],
      name: 'packets' | 'bytes' | 'headerBytes',
    ) => up[name] + down[name];
    return {
      way: step.way,
      visit: step.visit,
      completeMs: of(({ ms }) => ms),
      packetsUp: of(({ up }) => up.packets),
      packetsDown: of(({ down }) => down.packets),
      bytesUp: of(({ up }) => up.bytes),
      bytesDown: of(({ down }) => down.bytes),
      overheadPercent: of((sample) => (100 * both(sample, 'headerBytes')) / both(sample, 'bytes')),
      packetBytes: of((sample) => both(sample, 'bytes') / both(sample, 'packets')),
      packetsPerConnection: of((sample) => both(sample, 'packets') / sample.connections),
    };
  });
  process.stdout.write(`${JSON.stringify(rows)}\n`);
}
