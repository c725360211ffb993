// What a terminal shows of a line of the log.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { readableLine } from '../../../cli/prefetchd/log.ts';
import { isInstalled } from '../../support/command.ts';

const time = new Date(2026, 0, 2, 3, 4, 5).getTime();
const line = (more: object) => JSON.stringify({ level: 40, time, pid: 1, hostname: 'a', ...more });

it('has the time, the level, what happened and why, and the fields', () => {
  const said = {
    upstream: 'http://a',
    n: [1],
    err: { type: 'Error', message: 'refused' },
    msg: 'no',
  };
  expect(readableLine(line(said), { color: false })).toBe(
    '03:04:05 warn no: refused upstream=http://a n=[ 1 ]\n',
  );
});

// util-linux script(1) runs a command in a terminal of its own.
const pseudoTerminal = 'script';
const whyNoTerminal = isInstalled(pseudoTerminal) ? '' : 'script is not installed';
const program = fileURLToPath(new URL('../../../cli/prefetchd.ts', import.meta.url));

it.skipIf(whyNoTerminal)(`is shown on a terminal alone ${whyNoTerminal}`.trim(), async () => {
  const flags = ['proxy', '--upstream', 'http://127.0.0.1:1', '--port', '0', '--store', 'memory'];
  const told = `${process.execPath} ${program} ${flags.join(' ')}`;
  const run = spawn(pseudoTerminal, ['-qec', `timeout -s TERM 10 ${told}`, '/dev/null']);
  let shown = '';
  run.stdin.on('error', () => {});
  run.stdout.on('data', (chunk) => {
    shown += chunk;
    if (shown.includes('listening')) run.stdin.end('\x03');
  });
  await once(run, 'close');
  expect(shown).toMatch(/\d\d:\d\d:\d\d .*info.* listening .*upstream=http:\/\/127.0.0.1:1/);
  expect(shown).not.toContain('"level":');
});
