// What each fault of early servers costs today: Table 1 of Heidemann 1996 and the faults that the papers name without a
// figure, each on and off over an emulated link, interleaved by round.

import { linkUnavailable } from '../link/link.ts';
import type { BenchResult } from '../result.ts';
import { faultsTable } from './faults-table.ts';
import { pathTable } from './path-table.ts';
import { pipelineTable } from './pipeline-table.ts';
import type { TcpStudySettings } from './rounds.ts';
import { sequenceChart } from './sequence-chart.ts';

export async function tcpStudy(settings: TcpStudySettings): Promise<BenchResult> {
  const title = 'What TCP faults cost';
  const missing = linkUnavailable();
  if (missing !== null) {
    return { name: 'tcp-study', title, method: [], tables: [], targets: [], skipped: missing };
  }
  return {
    name: 'tcp-study',
    title,
    method: [
      'Heidemann 1996, Table 1, again: `loadahead serve --study` has the faults at one end of the emulated link, a plain socket asks for one document after the other at the other end. The LAN is 2 x 0.3 ms at 10 Mbit/s, as his Ethernet. The link makes the client acknowledge as one of 1996 did: a lone segment at the next beat of a clock of 200 ms; windows begin with two segments, and the kernel at the server has no tail loss probe (RFC 8985 7), which ends such a stall after 10 ms. Linux delays acknowledgments by about 40 ms, and not while a connection is new: the last columns.',
      `${settings.rounds} interleaved rounds count, one before them does not. Ratios are taken within a round.`,
    ],
    tables: [await faultsTable(settings), await pathTable(settings), await pipelineTable(settings)],
    targets: [],
    charts: [await sequenceChart(settings.say)],
  };
}
