// `loadahead packets` as a user meets it, with captures of tcpdump where it is installed.

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { microscapeDir } from '../../fixtures/index.ts';
import { loadPage } from '../../loader/index.ts';
import { captureOf } from '../../loader/packets/capture.ts';
import { factsOf } from '../../loader/packets/facts.ts';
import { createOrigin } from '../../server/index.ts';
import { inIpv4, pcap, pcapng, shortFirstSegment } from '../loader/packets/capture-files.ts';
import { runToEnd } from '../support/command.ts';
import { eventually } from '../support/eventually.ts';
import { folderOfTests } from '../support/folder-of-tests.ts';
import { startLoadahead } from '../support/loadahead-command.ts';

const folder = folderOfTests();

beforeAll(async () => {
  await writeFile(join(folder, 'page.pcap'), pcap(inIpv4(shortFirstSegment)));
});

const started = (args: string[]) => startLoadahead(folder, ['packets', ...args], { COLUMNS: '80' });
const packets = (...args: string[]) => runToEnd(started(args));

it('of more than a million packets the first million are read', async () => {
  const one = pcap(inIpv4([{ atMs: 0, up: false, seq: 1, ack: 1, data: 100 }]));
  const [head, packet] = [one.subarray(0, 24), one.subarray(24)];
  const all = Buffer.alloc(1_000_001 * packet.length, packet);
  await writeFile(join(folder, 'million.pcap'), Buffer.concat([head, all]));
  const { code, stdout, stderr } = await packets('million.pcap');
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toContain('1,000,000 packets, 1 TCP connection\n');
  expect(stdout).toContain('the rest is not read: at most 1,000,000 packets are');
});

it('a table with the stalls below it', async () => {
  expect(await packets('page.pcap')).toEqual({
    code: 0,
    stderr: '',
    stdout: `9 packets, 1 TCP connection
server 198.51.100.7:8080

#  client            time  packets  sent  received  again  stalled
1  192.0.2.1:3199  192 ms        9  52 B    4.6 kB      0   184 ms

#1  at 4.91 ms  the server waited 184 ms for an acknowledgment that the client
                delayed

time: until the last packet. sent, received: payload from the client, and from
the server. again: retransmissions. stalled: time of the stalls, without idle
times.
`,
  });
});

it('list, JSON and picture', async () => {
  const list = await packets('page.pcap', '--list');
  expect(list.stdout).toContain('  0.004911 server > client: . 227:1687(1460) ack 53 win 16384\n');
  const json = JSON.parse((await packets('page.pcap', '--json', '--list')).stdout);
  const connections = [{ number: 1, handshakeMs: 0.46 }];
  expect(json).toMatchObject({ frames: 9, cut: null, connections });
  expect(json.connections[0].packets).toHaveLength(9);
  expect((await packets('page.pcap', '--svg', 'page.svg', '--connection', '1')).code).toBe(0);
  expect(await readFile(join(folder, 'page.svg'), 'utf8')).toContain('page.pcap: 1 connection');
});

it('standard input is read', async () => {
  const child = started(['-', '--json']);
  child.stdin.end(pcapng(inIpv4(shortFirstSegment)));
  expect(JSON.parse((await runToEnd(child)).stdout)).toMatchObject({ frames: 9 });
});

it('a file that is cut off is shown as far as it goes; a fault ends with 2, after what was before it', async () => {
  const whole = pcap(inIpv4(shortFirstSegment));
  await writeFile(join(folder, 'cut.pcap'), whole.subarray(0, -5));
  const cut = await packets('cut.pcap');
  const shown = expect.stringMatching(/^8 packets.*\nthe file is cut off at byte/);
  expect([cut.code, cut.stdout]).toEqual([0, shown]);
  await writeFile(join(folder, 'broken.pcap'), Buffer.concat([whole, Buffer.alloc(16, 255)]));
  const broken = await packets('broken.pcap');
  expect([broken.code, broken.stdout]).toEqual([2, expect.stringMatching(/^9 packets/)]);
  expect(broken.stderr).toMatch(/^loadahead: broken\.pcap: at byte \d+: a packet of 4294967295 /);
});

it.each([
  [['none.pcap'], 'none.pcap cannot be read: there is no such file'],
  [['.'], '. cannot be read: it is a directory'],
  [['page.pcap', '--connection', '2'], '--connection: the capture has 1, from 1 on'],
  [['page.pcap', '--svg', 'no/page.svg'], '--svg: the folder no does not exist'],
])('%j: a sentence and code 2', async (args, sentence) => {
  const stderr = `loadahead: ${sentence}\n`;
  expect(await packets(...args)).toEqual({ code: 2, stdout: '', stderr });
});

const hasTcpdump = spawnSync('tcpdump', ['--version']).error === undefined;

it.skipIf(!hasTcpdump || process.getuid?.() !== 0)(
  'tcpdump (needs root): a load over loopback, packet by packet',
  async () => {
    const origin = createOrigin(microscapeDir);
    const { url } = await origin.listen();
    const { port } = new URL(url);
    const file = join(folder, 'load.pcap');
    const writing = ['-i', 'lo', '-U', '-Z', 'root', '-w', file];
    const dump = spawn('tcpdump', [...writing, 'tcp', 'port', port]);
    await once(dump.stderr, 'data'); // it says that it listens
    const load = await loadPage(url, { protocol: 'persistent' });
    await origin.close();
    const kept = async () => {
      const { connections } = await captureOf(createReadStream(file));
      return connections.reduce((sum, each) => sum + factsOf(each).down.bytes, 0);
    };
    await eventually(async () => (await kept()) >= load.totals.transferBytes, 'all of the load');
    const ended = once(dump, 'exit');
    dump.kill('SIGINT');
    await ended;
    const json = JSON.parse((await packets(file, '--json', '--list')).stdout);
    expect(json).toMatchObject({ fault: null, cut: null });
    expect(json.connections).toHaveLength(load.totals.connections);
    type Row = { down: { bytes: number; again: number }; packets: { carries: string | null }[] };
    const rows: Row[] = json.connections;
    expect(rows.map(({ down }) => down.again)).toEqual(rows.map(() => 0));
    const bytes = rows.reduce((sum, { down }) => sum + down.bytes, 0);
    expect(bytes).toBe(load.totals.transferBytes);
    const carried = rows.flatMap((row) => row.packets.map(({ carries }) => carries));
    const requests = carried.filter((carries) => carries?.startsWith('GET '));
    expect(requests).toHaveLength(load.totals.requests);
  },
);
