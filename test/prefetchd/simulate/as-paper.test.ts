// "As in chapter 8" (Padmanabhan 1995) has one definition: the command and the laboratory read a log by the same rules and
// find the same figures, to the digit.

import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { realLog } from '../../../lab/prefetchd/real-log.ts';
import { sweep } from '../../../prefetchd/simulate/index.ts';
import { runToEnd } from '../../support/command.ts';

const log = fileURLToPath(new URL('../../../fixtures/logs/epa-http-1995.clf.gz', import.meta.url));
const command = fileURLToPath(new URL('../../../cli/prefetchd.ts', import.meta.url));

it('simulate --as-paper and the bench of the paper agree on the EPA log', async () => {
  const { trace } = await realLog(log, true);
  const grid = { windows: [4], thresholds: [0.25], limits: [null] };
  const { baseline, points } = await sweep(trace, { ...grid, capByLead: false });
  const flags = ['--as-paper', '--window', '4', '--threshold', '0.25', '--limit', 'inf', '--json'];
  const { stdout } = await runToEnd(spawn(process.execPath, [command, 'simulate', log, ...flags]));
  expect(JSON.parse(stdout)).toMatchObject({ baseline, points });
});
