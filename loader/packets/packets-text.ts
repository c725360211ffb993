// Writes a capture for a terminal: a table of connections with their stalls, or each packet as tcpdump printed it in
// 1996 (Heidemann, figures 2 and 4).
//
// Guarantee: with connections of less than an hour, the table fits into 80 columns; long names are shortened.

import { clipMiddle, inert, wrapText } from '../report/printable.ts';
import { painter, type TerminalOptions, textTable } from '../report/terminal.ts';
import { formatBytes, formatCount, formatMs, plural } from '../report/units.ts';
import { type Capture, mostPackets } from './capture.ts';
import type { TcpConnection, TcpPacket } from './connections.ts';
import { type Facts, factsOf, isZeroWindow, type Stall, stallWords } from './facts.ts';

const mostRows = 200;
const mostStalls = 30;
const leastName = 12;
const meanings =
  'time: until the last packet. sent, received: payload from the client, and from the server. again: ' +
  'retransmissions. stalled: time of the stalls, without idle times.';

type TextRow = { connection: TcpConnection; facts: Facts };

/** Writes a table of connections and their stalls. @param shown The connections of the capture that are asked for */
export function renderConnections(
  capture: Capture,
  shown: readonly TcpConnection[],
  { columns, color }: TerminalOptions,
): string {
  const paint = painter(color);
  const rows = shown.map((connection) => ({ connection, facts: factsOf(connection) }));
  const [server, ...others] = new Set(shown.map((each) => each.server));
  const lines = captureNotes(capture).flatMap((note) => wrapText(note, columns));
  if (server !== undefined) {
    const isNamed = others.length > 0;
    if (!isNamed) lines.push(clipMiddle(`server ${server}`, columns));
    const [head = '', ...table] = tableLines(rows, isNamed, columns);
    lines.push('', paint('bold', head), ...table);
    const hidden = rows.length - mostRows;
    if (hidden > 0) lines.push(`and ${plural(hidden, 'connection')} more, in the sum`);
    lines.push(...stallLines(rows, columns), '');
    lines.push(...wrapText(meanings, columns).map((line) => paint('dim', line)));
  }
  return inert([...lines, ''].join('\n'), { color });
}

/** Returns sentences that say how much of a capture was read, and what was left out. */
export function captureNotes(capture: Capture): string[] {
  const { frames, connections, skipped, isLimited, cut } = capture;
  const count = (which: TcpConnection['windows']) =>
    connections.filter(({ windows }) => windows === which).length;
  const note = (many: number, what: string, rest: string) =>
    many === 0 ? [] : [`${plural(many, what)} ${rest}`];
  return [
    `${plural(frames, 'packet')}, ${plural(connections.length, 'TCP connection')}`,
    ...note(skipped.other, 'packet', 'without TCP left out'),
    ...note(skipped.fragment, 'IP fragment', 'left out: only the first has the TCP header'),
    ...note(skipped.short, 'packet', 'left out: less was kept of them than their headers'),
    ...note(count('unscaled'), 'connection', 'without the handshake: their windows lack the scale'),
    ...note(count('unknown'), 'connection', 'with windows of 0 throughout: taken as not recorded'),
    ...(isLimited ? [`the rest is not read: at most ${formatCount(mostPackets)} packets are`] : []),
    ...(cut === null ? [] : [cut]),
  ];
}

function tableLines(rows: readonly TextRow[], isNamed: boolean, columns: number): string[] {
  const cells = (some: readonly Facts[]) => {
    const sum = (of: (facts: Facts) => number) => some.reduce((total, one) => total + of(one), 0);
    return [
      formatMs(some.reduce((most, { lastMs }) => Math.max(most, lastMs), 0)),
      formatCount(sum(({ up, down }) => up.packets + down.packets)),
      formatBytes(sum(({ up }) => up.bytes)),
      formatBytes(sum(({ down }) => down.bytes)),
      formatCount(sum(({ up, down }) => up.again + down.again)),
      formatMs(sum(({ stalledMs }) => stalledMs)),
    ];
  };
  const each = rows.slice(0, mostRows).map(({ connection: { number, client, server }, facts }) => {
    return [String(number), isNamed ? `${client} > ${server}` : client, ...cells([facts])];
  });
  const heads = ['#', isNamed ? 'connection' : 'client', 'time', 'packets', 'sent', 'received'];
  const table = [[...heads, 'again', 'stalled'], ...each];
  if (rows.length > 1) table.push(['', 'sum', ...cells(rows.map(({ facts }) => facts))]);
  const lines = (nameWidth: number) =>
    textTable(
      table.map((row) => row.with(1, clipMiddle(row[1] ?? '', nameWidth))),
      2,
    );
  const spare = columns - (lines(leastName)[0] ?? '').length;
  return lines(leastName + Math.max(0, spare));
}

function stallLines(rows: readonly TextRow[], columns: number): string[] {
  const lengthOf = ({ fromMs, toMs }: Stall) => toMs - fromMs;
  const all = rows.flatMap(({ connection: { number }, facts }) =>
    facts.stalls.map((stall) => ({ ...stall, number })),
  );
  const longestFirst = all.toSorted((one, next) => lengthOf(next) - lengthOf(one));
  const longest = new Set(longestFirst.slice(0, mostStalls));
  const shown = all.filter((each) => longest.has(each));
  const places = shown.map(({ number, fromMs }) => [`#${number}`, `at ${formatMs(fromMs)}`]);
  const heads = textTable(places, 0).map((place) => `${place}  `);
  const lines = shown.flatMap((stall, i) => {
    const head = heads[i] as string;
    const words = wrapText(stallWords(stall), Math.max(20, columns - head.length));
    return words.map((line, at) => (at === 0 ? head : ' '.repeat(head.length)) + line);
  });
  const rest = all.length - shown.length;
  if (rest > 0) lines.push(`and ${plural(rest, 'shorter stall')}; --json has all`);
  return lines.length === 0 ? [] : ['', ...lines];
}

/** Returns a line for each packet, as Heidemann 1996 does; a stall has a line before the packet that ended it. */
export function packetLines(connection: TcpConnection): string[] {
  const { number, client, server, startMs, packets, windows } = connection;
  const head = `# ${number}: client ${client}, server ${server}, from ${formatMs(startMs)}`;
  const stalls = factsOf(connection).stalls.toSorted((one, next) => one.toMs - next.toMs);
  const lines = [head];
  for (const packet of packets) {
    const ended = stalls.findIndex(({ toMs }) => toMs > packet.atMs);
    const before = stalls.splice(0, ended === -1 ? stalls.length : ended);
    lines.push(...before.map((stall) => `# ${stallWords(stall)}`), packetLine(packet, windows));
  }
  return lines;
}

function packetLine(packet: TcpPacket, windows: TcpConnection['windows']): string {
  const { seq, ack, dataBytes, isSyn, isFin, isReset, isPush, order, carries, sacks } = packet;
  const letters = [isSyn && 'S', isFin && 'F', isReset && 'R', isPush && 'P'].filter(Boolean);
  const hasRange = dataBytes > 0 || isSyn || isFin || isReset;
  const isZero = windows !== 'unknown' && isZeroWindow(packet);
  return [
    (packet.atMs / 1000).toFixed(6).padStart(10),
    packet.direction === 'up' ? 'client > server:' : 'server > client:',
    letters.join('') || '.',
    hasRange && `${seq}:${seq + dataBytes}(${dataBytes})`,
    packet.hasAck && `ack ${ack}`,
    windows !== 'unknown' && `win ${packet.window}`,
    packet.options && `<${packet.options}>`,
    sacks && `<sack ${sacks.map(([from, to]) => `${from}:${to}`).join(',')}>`,
    order && `(${order})`,
    isZero && '(zero window)',
    carries,
  ]
    .filter(Boolean)
    .join(' ');
}
