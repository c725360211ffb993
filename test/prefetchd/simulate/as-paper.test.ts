// "As in chapter 8" (Padmanabhan 1995) has one definition: the command and the laboratory read a log by the same rules and
// find the same figures, to the digit.

import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { realLog } from '../../../lab/prefetchd/real-log.ts';
import { sweep } from '../../../prefetchd/simulate/index.ts';
import { runToEnd } from '../../support/command.ts';
import { startPrefetchd } from '../../support/prefetchd-command.ts';

const log = fileURLToPath(new URL('../../../fixtures/logs/epa-http-1995.clf.gz', import.meta.url));

it('simulate --as-paper and the bench of the paper agree on the EPA log', async () => {
  const { trace } = await realLog(log, true);
  const grid = { windows: [4], thresholds: [0.25], limits: [null] };
  const { baseline, points } = await sweep(trace, { ...grid, capByLead: false });
  const flags = ['--as-paper', '--window', '4', '--threshold', '0.25', '--limit', 'inf', '--json'];
  const { stdout } = await runToEnd(startPrefetchd('.', ['simulate', log, ...flags]));
  expect(JSON.parse(stdout)).toMatchObject({ baseline, points });
});
