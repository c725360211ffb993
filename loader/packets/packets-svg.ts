// Draws connections as xplot drew them for Nielsen, Gettys et al. (1997) and Heidemann (1996): sequence numbers of the
// server over time, with the acknowledgments and the window of the client, and below them those of the client. A
// self-contained SVG file, light or dark as the viewer's system is set, with a panel for each connection.

import {
  clipToWidth,
  element,
  label,
  picture,
  px,
  type Svg,
  smallPx,
  styleSheet,
  widthOf,
} from '../report/svg.ts';
import { formatBytes, formatCount, formatMs, plural, roundMs, timeTicks } from '../report/units.ts';
import type { TcpConnection, TcpPacket } from './connections.ts';
import { type Facts, factsOf, isZeroWindow, type Stall, stallWords } from './facts.ts';

const width = 1000;
const left = 70;
const right = 984;
/** Height of the band below the plot, which shows the client's sequence numbers and the first lines of messages. */
const bandHeight = 64;
const mostPanels = 12;
const mostDrawn = 20_000;

/** What each curve shows, by the class of report/svg.ts that gives it its colour. */
const looks = {
  receiving: 'from the server',
  m0: 'from the client',
  connect: 'sent again',
  l2: 'out of order',
  l1: 'acknowledged',
  queued: "end of the client's window",
  l4: 'behind a hole (SACK)',
} as const;

/** The short name of each kind of stall, and the colours of its shade in light and in dark mode. */
const shades: Record<Stall['kind'], readonly [words: string, light: string, dark: string]> = {
  acknowledgment: ['delayed acknowledgment', '#fde7c2', '#453413'],
  again: ['retransmission after', '#fbdad5', '#4a221d'],
  window: ['window of 0', '#ecdff5', '#352345'],
  answer: ['answer after', '#e3ecf7', '#1b2a3d'],
  idle: ['idle', '#eef0f3', '#1a2029'],
};
const css = styleSheet(
  '.la path{stroke-width:1.25}.la path.queued{stroke-width:1}.la text.flag{font-weight:600}',
  Object.fromEntries(Object.entries(shades).map(([kind, [, ...colors]]) => [kind, colors])),
);

type Plot = ReturnType<typeof plotOf>;

export function renderPacketsSvg(name: string, connections: readonly TcpConnection[]): string {
  const drawn = connections.slice(0, mostPanels);
  const plotHeight = drawn.length === 1 ? 420 : 240;
  const panelHeight = plotHeight + 108 + bandHeight;
  const most = mostDrawn / drawn.length;
  const panels = drawn.map((one, i) => panel(plotOf(one, 108 + i * panelHeight, plotHeight, most)));
  const legendY = 64 + panels.length * panelHeight;
  const more = connections.length - drawn.length;
  const rest = more === 0 ? '' : `; ${formatCount(more)} more: --connection draws one`;
  const title = `${name}: ${plural(connections.length, 'connection')}${rest}`;
  const heading = label(16, 28, 'h1', clipToWidth(title, width * 0.75, 15));
  const content = [heading, ...panels, ...legend(legendY)];
  return picture({ width, height: legendY + 62, css }, { title: `Packets of ${title}` }, content);
}

/** Returns a connection with its facts, the packets that are drawn, and their places in the picture. */
function plotOf(connection: TcpConnection, top: number, height: number, most: number) {
  const facts = factsOf(connection);
  const time = timeScale(facts, left, right - 12);
  const end = { up: 10, down: 10 };
  for (const { direction, seq, dataBytes } of connection.packets) {
    end[direction] = Math.max(end[direction], seq + dataBytes);
  }
  /** The sequence number at the upper edge of the plot, and the place of its lower edge, px. */
  const [highest, bottom] = [end.down * 1.06, top + height];
  const places = {
    x: time.x,
    y: (seq: number) => bottom - (seq / highest) * height,
    /** The place, px, of a sequence number of the client, in the band below the plot. */
    yUp: (seq: number) => bottom + bandHeight - 3 - (seq / end.up) * (bandHeight - 18),
  };
  const packets = thinned(connection.packets, places, most);
  return { connection, facts, packets, time, ...places, top, bottom, highest };
}

function panel(plot: Plot): Svg {
  const { connection, facts, packets, top, bottom } = plot;
  const { number, client, server } = connection;
  const { up, down, lastMs, handshakeMs, ended } = facts;
  const drawn = `${plural(packets.length, 'packet')} drawn, one of those in the same place`;
  const words = [
    `${plural(connection.packets.length, 'packet')} in ${formatMs(lastMs)}`,
    `${formatBytes(down.bytes)} from the server, ${formatBytes(up.bytes)} from the client`,
    handshakeMs !== null && `handshake ${formatMs(handshakeMs)}`,
    up.again + down.again > 0 && plural(up.again + down.again, 'retransmission'),
    ended && `ended by ${ended}`,
    packets.length < connection.packets.length && drawn,
  ].filter((each) => typeof each === 'string');
  const area = { x: left, y: top, width: right - left, height: bottom - top + bandHeight };
  return element('g', {}, [
    label(16, top - 46, '', `${number}: ${client} > ${server}`),
    label(16, top - 31, 'muted', words.join(' \u00b7 ')),
    element('clipPath', { id: `la-${number}` }, [element('rect', area)]),
    ...stallShades(plot),
    ...axes(plot),
    element('g', { 'clip-path': `url(#la-${number})` }, curves(plot)),
    ...flags(plot),
    ...messages(plot),
  ]);
}

/** Draws a shade for each stall, and its name if there is room for it. */
function stallShades({ facts, x, top, bottom }: Plot): Svg[] {
  let free = left;
  return facts.stalls.flatMap((stall) => {
    const { kind, fromMs, toMs } = stall;
    const [from, to] = [x(fromMs), x(toMs)];
    if (to - from < 2) return [];
    const at = Math.max(free, from);
    const short = `${shades[kind][0]} ${formatMs(toMs - fromMs)}`;
    const words = [stallWords(stall), short].find((each) => widthOf(each, smallPx) <= to - at + 24);
    if (words) free = at + widthOf(words, smallPx) + 6;
    const area = { x: from, y: top, width: to - from, height: bottom + bandHeight - top };
    const title = element('title', {}, stallWords(stall));
    const shade = element('rect', { class: kind, ...area }, [title]);
    return words ? [shade, label(at, top - 5, 'small', words)] : [shade];
  });
}

function axes({ facts, time, x, y, top, bottom, highest }: Plot): Svg[] {
  const line = (look: string, x1: number, x2: number, y1: number, y2: number) =>
    element('line', { class: look, x1, x2, y1, y2 });
  const end = bottom + bandHeight;
  const inSeconds = facts.lastMs >= 1000;
  let free = 0;
  return [
    ...timeTicks(highest, (bottom - top) / 40).flatMap(({ atMs: seq }) => [
      line('grid', left, right, y(seq), y(seq)),
      label(left - 6, y(seq) + 4, 'small num muted end', formatBytes(seq).replace('.0 ', ' ')),
    ]),
    ...time.ticks.flatMap((ms) => {
      const words = inSeconds ? `${roundMs(ms / 1000)} s` : `${roundMs(ms)} ms`;
      const half = widthOf(words, smallPx) / 2;
      const grid = line('grid', x(ms), x(ms), top, end);
      if (x(ms) - half < free || x(ms) + half > width) return [grid];
      free = x(ms) + half + 6;
      return [grid, label(x(ms), end + 28, 'small num muted mid', words)];
    }),
    line('muted', left, left, top, end),
    line('muted', left, right, bottom, bottom),
    ...time.breaks.map(({ fromMs, toMs }) => {
      const at = `${px((x(fromMs) + x(toMs)) / 2 - 5)} ${px(bottom + 5)}`;
      return element('path', { class: 'text', d: `M${at}l4 -10m2 10l4 -10` });
    }),
    label(left - 6, end - 4, 'small muted end', 'client'),
  ];
}

function curves({ connection, packets, x, y, yUp }: Plot): Svg[] {
  const paths = new Map<string, string>();
  const add = (look: string, d: string) => paths.set(look, (paths.get(look) ?? '') + d);
  const step = (look: string, atX: string, atY: number) =>
    add(look, paths.has(look) ? `H${atX}V${px(atY)}` : `M${atX} ${px(atY)}`);
  for (const packet of packets) {
    const { direction, atMs, seq, dataBytes, ack, order, window } = packet;
    const [atX, isUp] = [px(x(atMs)), direction === 'up'];
    const [own, other] = isUp ? [yUp, y] : [y, yUp];
    const usual = isUp ? 'm0' : 'receiving';
    const look = order === 'again' ? 'connect' : order === 'out of order' ? 'l2' : usual;
    if (dataBytes > 0) add(look, bar(x(atMs), own(seq), own(seq + dataBytes)));
    if (packet.hasAck) step(isUp ? 'l1' : 'l1 up', atX, other(ack));
    if (isUp && packet.hasAck && connection.windows === 'known')
      step('queued', atX, y(ack + window));
    for (const [from = 0, to = 0] of packet.sacks ?? []) {
      add('l4', `M${atX} ${px(other(from))}V${px(other(to))}`);
    }
  }
  const lowestFirst = [...Object.keys(looks), 'l1 up'].reverse();
  return lowestFirst.flatMap((look) => {
    const d = paths.get(look);
    return d === undefined ? [] : [element('path', { class: look, d })];
  });
}

/** Draws letters for SYN, FIN, RST and windows of 0: below the plot if the client sent SYN, FIN or RST, else in it. */
function flags({ connection, packets, x, y, top, bottom }: Plot): Svg[] {
  return packets.flatMap((packet) => {
    const { direction, atMs, seq, ack, dataBytes, isSyn, isFin, isReset } = packet;
    const isZero = connection.windows !== 'unknown' && isZeroWindow(packet);
    const letters = [isSyn && 'S', isFin && 'F', isReset && 'R', isZero && 'Z'].filter(Boolean);
    if (letters.length === 0) return [];
    const isDown = direction === 'down';
    const inPlot = Math.min(bottom, y(isDown ? seq + dataBytes : ack) - 4);
    const at = isDown || isZero ? Math.max(top + 8, inPlot) : bottom + bandHeight - 6;
    const look = isReset || isZero ? 'bad' : isDown ? 'receiving' : 'm0';
    return [label(Math.min(x(atMs) + 3, right), at, `small flag ${look}`, letters.join(''))];
  });
}

/** Draws the first lines of HTTP messages where there is room. */
function messages({ packets, x, bottom }: Plot): Svg[] {
  const free = { up: 0, down: 0 };
  return packets.flatMap(({ direction, atMs, order, carries }) => {
    const [at, isUp] = [x(atMs), direction === 'up'];
    const words = clipToWidth(carries ?? '', 150, smallPx);
    const end = at + widthOf(words, smallPx);
    if (words === '' || order === 'again' || at < free[direction] || end > width) return [];
    free[direction] = end + 8;
    const atY = bottom + (isUp ? bandHeight + 11 : 10);
    return [label(at, atY, `small ${isUp ? 'm0' : 'receiving'}`, words)];
  });
}

/** Returns the path of an upright bar, whose ends are short lines. */
const bar = (x: number, from: number, to: number): string =>
  `M${px(x)} ${px(from)}V${px(to)}M${px(x - 2)} ${px(from)}h4M${px(x - 2)} ${px(to)}h4`;

/** Returns at most `most` packets: of those that look alike and would be drawn in the same square, only the first. */
function thinned(
  packets: readonly TcpPacket[],
  { x, y, yUp }: Record<'x' | 'y' | 'yUp', (value: number) => number>,
  most: number,
): readonly TcpPacket[] {
  let kept = packets;
  for (let sidePx = 1; kept.length > most; sidePx *= 2) {
    const squares = Map.groupBy(packets, (packet) => {
      const { direction, order, atMs, seq, ack, window, isSyn, isFin, isReset } = packet;
      const look = [direction, order, isSyn, isFin, isReset, window === 0];
      const more = [packet.carries !== null, packet.sacks !== null];
      const [own, other] = direction === 'up' ? [yUp, y] : [y, yUp];
      const places = [x(atMs), own(seq), other(ack), y(ack + window)];
      return [...look, ...more, ...places.map((px) => Math.round(px / sidePx))].join();
    });
    kept = [...squares.values()].flatMap(([first]) => first ?? []);
  }
  return kept;
}

function legend(y: number): Svg[] {
  const row = (names: object, rowY: number, sample: (name: string, x: number) => Svg) => {
    let x = left;
    return Object.entries(names).flatMap(([name, given]) => {
      const [at, words] = [x, String([given].flat()[0])];
      x += 42 + widthOf(words);
      return [sample(name, at), label(at + 22, rowY, 'muted', words)];
    });
  };
  const note =
    'up: sequence numbers; below: of the client. S, F, R: SYN, FIN, RST. Z: window of 0.';
  return [
    ...row(looks, y, (look, x) => {
      const isStep = look === 'l1' || look === 'queued';
      const d = isStep ? `M${x} ${y}h8v-8h8` : bar(x + 8, y + 1, y - 10);
      return element('path', { class: look, d });
    }),
    ...row(shades, y + 18, (kind, x) =>
      element('rect', { class: kind, x, y: y + 8, width: 16, height: 12 }),
    ),
    label(left, y + 38, 'small muted', note),
  ];
}

/** Width of an idle time that is cut short, px. If more than `mostBreaks` idle times are long enough, none is cut. */
const breakPx = 46;
const mostBreaks = 8;
const leastTickPx = 80;

/** Makes the time axis of a connection's picture. Idle times that are longer than half of all other time are cut short,
 *  because else all packets would be squeezed into a line at the edge. */
function timeScale({ stalls, lastMs, idleMs }: Facts, left: number, right: number) {
  const isLong = ({ fromMs, toMs }: Stall) => toMs - fromMs > (lastMs - idleMs) / 2;
  const long = stalls.filter((stall) => stall.kind === 'idle' && isLong(stall));
  /** The idle times of the connection that the axis shows cut short. */
  const breaks = long.length > mostBreaks ? [] : long;
  const cutMs = breaks.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0);
  const shownPx = right - left - breaks.length * breakPx;
  const shownMs = lastMs - cutMs || 1;
  const x = (ms: number): number => {
    let [px, beforeMs] = [left, Math.max(0, ms)];
    for (const { fromMs, toMs } of breaks) {
      const share = Math.min(1, Math.max(0, ms - fromMs) / (toMs - fromMs));
      px += breakPx * share;
      beforeMs -= (toMs - fromMs) * share;
    }
    return px + (beforeMs * shownPx) / shownMs;
  };
  const stepMs = timeTicks(shownMs, shownPx / leastTickPx)[1]?.atMs ?? shownMs;
  /** Multiples of `stepMs` at which the axis has ticks; the idle times that are cut short have none. */
  const ticks = [0, ...breaks.map(({ toMs }) => toMs)].flatMap((fromMs, i) => {
    const toMs = breaks[i]?.fromMs ?? lastMs;
    const first = Math.ceil(fromMs / stepMs);
    const count = Math.floor(toMs / stepMs) - first + 1;
    return Array.from({ length: Math.max(0, count) }, (_, n) => (first + n) * stepMs);
  });
  return { breaks, x, ticks };
}
