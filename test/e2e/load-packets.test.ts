// `loadahead load --packets`: the packets of the load, and of nothing else on the machine.

import { spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { microscapeDir } from '../../fixtures/index.ts';
import { loadPage } from '../../loader/index.ts';
import { createOrigin } from '../../server/index.ts';
import { runToEnd } from '../support/command.ts';
import { folderOfTests } from '../support/folder-of-tests.ts';
import { makeTestCertificate } from '../support/tls.ts';

const command = fileURLToPath(new URL('../../cli/loadahead.ts', import.meta.url));
const folder = folderOfTests();
const run = (...args: string[]) => runToEnd(spawn(process.execPath, [command, ...args]));
const mayCapture = process.platform === 'linux' && process.getuid?.() === 0;

it.skipIf(!mayCapture).each(['clear', 'TLS'])(
  'captures its own connections (%s), not those of others',
  async (kind) => {
    const certificate = kind === 'TLS' ? await makeTestCertificate() : undefined;
    const origin = createOrigin(microscapeDir, { ...(certificate && { tls: certificate }) });
    const { url } = await origin.listen();
    onTestFinished(() => origin.close());
    const ca = join(folder, 'ca.pem');
    await writeFile(ca, certificate?.cert ?? '');
    const file = join(folder, `${kind}.pcap`);
    const flags = ['--protocol', 'persistent', '--connections', '3', '--json'];
    const trusted = certificate ? ['--ca', ca] : [];
    const own = run('load', url, '--packets', file, ...flags, ...trusted);
    const other = loadPage(url, { ...(certificate && { tls: { ca: certificate.cert } }) });
    const [{ code, stdout, stderr }] = await Promise.all([own, other]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const { connections: opened } = JSON.parse(stdout).totals;
    expect(opened).toBe(3);
    const read = await run('packets', file, '--json');
    const { connections } = JSON.parse(read.stdout);
    expect(connections).toHaveLength(opened);
  },
);

it.skipIf(!mayCapture)('without the right, it says so, and loads nothing', async () => {
  const file = join(folder, 'none.pcap');
  const args = ['--bounding-set=-net_raw', '--inh-caps=-net_raw', process.execPath, command];
  const child = spawn('setpriv', [...args, 'load', 'http://127.0.0.1:1/', '--packets', file]);
  expect(await runToEnd(child)).toEqual({
    code: 2,
    stdout: '',
    stderr: 'loadahead: --packets: a packet socket needs root or CAP_NET_RAW\n',
  });
  await expect(readFile(file)).rejects.toThrow('ENOENT');
});
