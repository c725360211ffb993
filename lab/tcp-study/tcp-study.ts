// What each fault of early servers costs today: Table 1 of Heidemann 1996 and the faults that the papers name without a
// figure, each on and off over an emulated link, interleaved by round.

import { linkUnavailable } from '../link/link.ts';
import type { BenchResult } from '../result.ts';
import { auditTable } from './audit-table.ts';
import { faultsTable } from './faults-table.ts';
import { figures } from './figures.ts';
import { inheritanceTable } from './inheritance-table.ts';
import { pathTable } from './path-table.ts';
import { pipelineTable } from './pipeline-table.ts';
import { restartTables } from './restart-table.ts';
import type { TcpStudySettings } from './rounds.ts';
import { sequenceChart } from './sequence-chart.ts';
import { tableOne } from './table-one.ts';

export async function tcpStudy(settings: TcpStudySettings): Promise<BenchResult> {
  const title = 'What TCP faults cost';
  const missing = linkUnavailable();
  if (missing !== null) {
    return { name: 'tcp-study', title, method: [], tables: [], targets: [], skipped: missing };
  }
  const { rounds, say } = settings;
  const tables = [
    ...(await tableOne(say)),
    await faultsTable(settings),
    ...(await restartTables(settings)),
    await inheritanceTable(settings),
    await pathTable(settings),
    await auditTable(say),
    await pipelineTable(settings),
  ];
  const { charts, listings } = await figures(say);
  return {
    name: 'tcp-study',
    title,
    method: [
      'Heidemann 1996 again: `loadahead serve --study` has the faults at one end of the emulated link, a plain socket asks for one document after the other at the other end. The LAN is 2 x 0.3 ms at 10 Mbit/s, as his Ethernet. The link makes the client acknowledge as one of 1996 did: a lone segment at the next beat of a clock of 200 ms; and its kernel, which would delay some by 40 ms, delays none. Windows begin with two segments, and the kernel at the server has no tail loss probe (RFC 8985 7), which ends such a stall after 10 ms.',
      'Table 1 is measured as he did: 100 transactions of HTTP/1.0 with Keep-Alive, one at once after the other. That makes his figures: a transaction ends just behind a beat of the clock, so each stall of the next lasts nearly a whole beat. `bsd-nagle` holds a short segment behind any unacknowledged one, as 4.3BSD did; Linux holds it behind another short one only, which leaves two of his three stalls. Two faults of his print can be seen beside ours: 10 of 605 ms are 2 % and no 16, 4 of 43 ms are 9 % and no 94; and his first two intervals are 1.96 deviations, without the root of the 100 samples that the last two have.',
      `In the other tables ${rounds} interleaved rounds count, one before them does not, and ratios are taken within a round. A transaction then begins anywhere in a beat, so that its first stall is shorter than in Table 1. Linux delays acknowledgments by about 40 ms, and not while a connection is new: the columns "today".`,
      'Idle time (2.4), not verified by him: the kernel halves the window with each retransmission time-out that nothing is sent (RFC 2861), which is his window that decays, down to the first window of ten. Sending by rate is what he prefers: the kernel spreads a window over a round trip (SO_MAX_PACING_RATE with both pacing ratios at 100 %). A connection that is closed when idle begins slow start as well, and pays for its handshake.',
    ],
    tables,
    targets: [],
    charts: [await sequenceChart(say), ...charts],
    listings,
  };
}
