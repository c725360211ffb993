// Draws connections as xplot drew them for Nielsen, Gettys et al. (1997) and Heidemann (1996): sequence numbers of the
// server over time, with the acknowledgments and the window of the client, and beside them the client's requests. A
// self-contained SVG file, light or dark as the viewer's system is set, with a panel for each connection.
//
// Idle times that are longer than half of all others together are cut short, marked as breaks of the axis. The size is
// bounded: of many packets, those are drawn that are extreme within their pixel.

import { clipMiddle } from '../report/printable.ts';
import {
  clipToWidth,
  element,
  label,
  px,
  type Svg,
  smallPx,
  styleSheet,
  widthOf,
} from '../report/svg.ts';
import { formatBytes, formatMs, plural, roundMs, timeTicks } from '../report/units.ts';
import type { Connection, Packet } from './connections.ts';
import { type Facts, factsOf, isZeroWindow, type Stall, stallWords } from './facts.ts';

const width = 1000;
const left = 70;
const right = 984;
const breakPx = 46;
const mostPanels = 12;
const mostDrawn = 20_000;
const mostBreaks = 8;

const looks = {
  receiving: 'data from the server',
  connect: 'sent again',
  l2: 'out of order',
  l1: 'acknowledged by the client',
  queued: 'end of its window',
  l4: 'SACK: arrived behind a hole',
} as const;
type Look = keyof typeof looks;

const shades: Record<Stall['kind'], readonly [light: string, dark: string]> = {
  acknowledgment: ['#fde7c2', '#453413'],
  again: ['#fbdad5', '#4a221d'],
  window: ['#ecdff5', '#352345'],
  answer: ['#e3ecf7', '#1b2a3d'],
  idle: ['#eef0f3', '#1a2029'],
};
const css = styleSheet(
  '.la path{stroke-width:1.25}.la path.queued{stroke-width:1;opacity:.8}.la text.flag{font-weight:600}',
  shades,
);

export function renderPacketsSvg(name: string, connections: readonly Connection[]): string {
  const drawn = connections.slice(0, mostPanels);
  const used = new Set<Look>();
  let y = 46;
  const panels = drawn.map((connection) => {
    const plotHeight = drawn.length === 1 ? 420 : 240;
    const panel = new Panel(connection, y + 50, plotHeight, mostDrawn / drawn.length);
    const svg = panel.render(y, used);
    y += plotHeight + 128;
    return svg;
  });
  const more = connections.length - drawn.length;
  const rest = more === 0 ? '' : `; ${plural(more, 'more connection')}: --connection draws one`;
  const title = `${name}: ${plural(connections.length, 'connection')}${rest}`;
  const height = y + 48;
  const picture = element(
    'svg',
    {
      ...{ xmlns: 'http://www.w3.org/2000/svg', class: 'la text', width, height, role: 'img' },
      ...{ viewBox: `0 0 ${width} ${height}`, 'aria-labelledby': 'la-title' },
    },
    [
      element('title', { id: 'la-title' }, `Packets of ${clipMiddle(title, 200)}`),
      `<style>${css}</style>` as Svg,
      element('rect', { class: 'bg', width, height }),
      label(16, 28, 'h1', clipToWidth(title, width * 0.75, 15)),
      ...panels,
      ...legend(y + 4, used),
    ],
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n${picture}\n`;
}

class Panel {
  readonly #connection: Connection;
  readonly #facts: Facts;
  readonly #packets: readonly Packet[];
  readonly #top: number;
  readonly #bottom: number;
  readonly #breaks: readonly Stall[];
  readonly #pxPerMs: number;
  readonly #mostBytes: number;

  constructor(connection: Connection, top: number, height: number, most: number) {
    this.#connection = connection;
    this.#facts = factsOf(connection);
    [this.#top, this.#bottom] = [top, top + height];
    const { stalls, lastMs, idleMs } = this.#facts;
    this.#breaks = stalls
      .filter(({ kind, fromMs, toMs }) => kind === 'idle' && toMs - fromMs > (lastMs - idleMs) / 2)
      .slice(0, mostBreaks);
    const cutMs = this.#breaks.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0);
    this.#pxPerMs = (right - left - this.#breaks.length * breakPx) / (lastMs - cutMs || 1);
    this.#packets = thinned(connection.packets, (ms) => this.#x(ms), most);
    const ends = connection.packets.map((packet) =>
      packet.direction === 'down' ? packet.seq + packet.dataBytes : 0,
    );
    this.#mostBytes = ends.reduce((highest, end) => Math.max(highest, end), 1) * 1.06;
  }

  #x(ms: number): number {
    let [x, activeMs] = [left, ms];
    for (const { fromMs, toMs } of this.#breaks) {
      if (ms <= fromMs) break;
      const share = Math.min(1, (ms - fromMs) / (toMs - fromMs));
      x += breakPx * share;
      activeMs -= (toMs - fromMs) * share;
    }
    return x + Math.max(0, activeMs) * this.#pxPerMs;
  }

  #y(seq: number): number {
    return this.#bottom - (seq / this.#mostBytes) * (this.#bottom - this.#top);
  }

  render(y: number, used: Set<Look>): Svg {
    const { number, client, server, packets } = this.#connection;
    const { up, down, lastMs, handshakeMs, ended } = this.#facts;
    const again = up.again + down.again;
    const facts = [
      `${plural(packets.length, 'packet')} in ${formatMs(lastMs)}`,
      `${formatBytes(down.bytes)} from the server, ${formatBytes(up.bytes)} from the client`,
      ...(handshakeMs === null ? [] : [`handshake ${formatMs(handshakeMs)}`]),
      ...(again === 0 ? [] : [plural(again, 'retransmission')]),
      ...(ended === null ? [] : [`ended by ${ended}`]),
      ...(this.#packets.length < packets.length
        ? [`${plural(this.#packets.length, 'packet')} drawn: the extremes of each pixel`]
        : []),
    ];
    const clip = `la-plot-${number}`;
    const area = { x: left, y: this.#top, width: right - left, height: this.#bottom - this.#top };
    return element('g', {}, [
      label(16, y + 14, '', clipToWidth(`${number}: ${client} > ${server}`, 480)),
      label(right, y + 14, 'muted end', clipToWidth(facts.join(' \u00b7 '), 480)),
      element('clipPath', { id: clip }, [element('rect', { ...area, height: area.height + 1 })]),
      ...this.#stalls(),
      ...this.#axes(),
      element('g', { 'clip-path': `url(#${clip})` }, this.#curves(used)),
      ...this.#flags(),
      ...this.#requests(),
    ]);
  }

  /** Shades them, and names those with room for it. */
  #stalls(): Svg[] {
    let free = left;
    return this.#facts.stalls.flatMap((stall) => {
      const [from, to] = [this.#x(stall.fromMs), this.#x(stall.toMs)];
      if (to - from < 2) return [];
      const words = stallWords(stall);
      const short = `${stall.kind === 'again' ? 'retransmission' : stall.kind} ${formatMs(stall.toMs - stall.fromMs)}`;
      const at = Math.max(free, from);
      const room = right - at;
      const shown = [words, short].find(
        (each) =>
          widthOf(each, smallPx) <=
          Math.max(to - at, Math.min(room, each === short ? breakPx * 2 : 0)),
      );
      if (shown) free = at + widthOf(shown, smallPx) + 8;
      return [
        element(
          'rect',
          {
            class: stall.kind,
            x: from,
            y: this.#top,
            width: to - from,
            height: this.#bottom + 34 - this.#top,
          },
          [element('title', {}, words)],
        ),
        ...(shown ? [label(at + 2, this.#top - 5, 'small', shown)] : []),
      ];
    });
  }

  #axes(): Svg[] {
    const [top, bottom] = [this.#top, this.#bottom];
    const line = (look: string, x1: number, x2: number, y1: number, y2: number) =>
      element('line', { class: look, x1, x2, y1, y2 });
    const bytes = timeTicks(this.#mostBytes, (bottom - top) / 40).map(({ atMs: seq }) => ({
      seq,
      y: this.#y(seq),
    }));
    const activeMs = (right - left - this.#breaks.length * breakPx) / this.#pxPerMs;
    const [, { atMs: stepMs } = { atMs: activeMs }] = timeTicks(activeMs, (right - left) / 80);
    const edges = [
      0,
      ...this.#breaks.flatMap(({ fromMs, toMs }) => [fromMs, toMs]),
      this.#facts.lastMs,
    ];
    const times: number[] = [];
    for (let i = 0; i < edges.length; i += 2) {
      const last = edges[i + 1] as number;
      for (let n = Math.ceil((edges[i] as number) / stepMs); n * stepMs <= last; n++)
        times.push(n * stepMs);
    }
    const inSeconds = this.#facts.lastMs >= 1000;
    let free = 0;
    return [
      ...bytes.flatMap(({ seq, y }) => [
        line('grid', left, right, y, y),
        label(
          left - 6,
          y + 4,
          'small num muted end',
          seq === 0 ? '0' : formatBytes(seq).replace('.0 ', ' '),
        ),
      ]),
      ...times.flatMap((ms) => {
        const x = this.#x(ms);
        const words = ms === 0 ? '0' : inSeconds ? `${roundMs(ms / 1000)} s` : `${roundMs(ms)} ms`;
        const half = widthOf(words, smallPx) / 2;
        const isFree = x - half >= free && x + half <= width;
        if (isFree) free = x + half + 6;
        return [
          line('grid', x, x, top, bottom + 34),
          ...(isFree ? [label(x, bottom + 62, 'small num muted mid', words)] : []),
        ];
      }),
      line('muted', left, left, top, bottom + 34),
      line('muted', left, right, bottom, bottom),
      ...this.#breaks.map(({ fromMs, toMs }) => {
        const x = (this.#x(fromMs) + this.#x(toMs)) / 2;
        return element('path', {
          class: 'muted',
          d: `M${px(x - 5)} ${px(bottom + 5)}l4 -10M${px(x + 1)} ${px(bottom + 5)}l4 -10`,
        });
      }),
      label(left - 6, bottom + 25, 'small muted end', 'requests'),
    ];
  }

  #curves(used: Set<Look>): Svg[] {
    const paths = new Map<Look, string[]>();
    const add = (look: Look, d: string) => {
      if (!paths.has(look)) paths.set(look, []);
      paths.get(look)?.push(d);
    };
    const step = (look: Look, x: number, y: number) =>
      add(look, paths.has(look) ? `H${px(x)}V${px(y)}` : `M${px(x)} ${px(y)}`);
    for (const { direction, atMs, seq, dataBytes, ack, hasAck, isSyn, window, order, sacks } of this
      .#packets) {
      const x = this.#x(atMs);
      if (direction === 'down') {
        const look = order === 'again' ? 'connect' : order === 'out of order' ? 'l2' : 'receiving';
        if (dataBytes > 0) add(look, bar(x, this.#y(seq), this.#y(seq + dataBytes)));
      } else if (hasAck) {
        step('l1', x, this.#y(ack));
        if (this.#connection.windows === 'known' && !isSyn)
          step('queued', x, this.#y(ack + window));
        for (const [from, to] of sacks ?? [])
          add('l4', `M${px(x)} ${px(this.#y(from))}V${px(this.#y(to))}`);
      }
    }
    for (const look of paths.keys()) used.add(look);
    return (Object.keys(looks) as Look[]).reverse().flatMap((look) => {
      const d = paths.get(look);
      return d === undefined ? [] : [element('path', { class: look, d: d.join('') })];
    });
  }

  #flags(): Svg[] {
    return this.#packets.flatMap((packet) => {
      const { direction, atMs, seq, ack, dataBytes, isSyn, isFin, isReset } = packet;
      const isZero = this.#connection.windows !== 'unknown' && isZeroWindow(packet);
      const letters = [isSyn && 'S', isFin && 'F', isReset && 'R', isZero && 'Z'].filter(Boolean);
      if (letters.length === 0) return [];
      const isOnPlot = direction === 'down' || isZero;
      const y =
        direction === 'down' ? this.#y(seq + dataBytes) : isZero ? this.#y(ack) : this.#bottom + 25;
      const at = Math.max(this.#top + 8, Math.min(this.#bottom + 25, isOnPlot ? y - 4 : y));
      const look = isReset || isZero ? 'bad' : direction === 'down' ? 'receiving' : 'm0';
      return [
        label(Math.min(this.#x(atMs) + 2, right), at, `small flag ${look}`, letters.join('')),
      ];
    });
  }

  /** The client's data, and below it the first lines of requests and responses that have room. */
  #requests(): Svg[] {
    const free = { up: 0, down: 0 };
    const sent: string[] = [];
    const labels = this.#packets.flatMap(({ direction, atMs, dataBytes, order, carries }) => {
      const x = this.#x(atMs);
      if (direction === 'up' && dataBytes > 0) sent.push(`M${px(x)} ${px(this.#bottom + 12)}v20`);
      if (carries === null || order === 'again' || x < free[direction]) return [];
      const words = clipToWidth(carries, 150, smallPx);
      const wide = widthOf(words, smallPx);
      if (x + wide > width) return [];
      free[direction] = x + wide + 8;
      const isUp = direction === 'up';
      const y = isUp ? this.#bottom + 46 : this.#bottom + 9;
      return [label(x, y, `small ${isUp ? 'm0' : 'receiving'}`, words)];
    });
    const bars = element('path', { class: 'm0', d: sent.join('') });
    return sent.length === 0 ? labels : [bars, ...labels];
  }
}

/** A bar with arrow ends, where there is room for them. */
function bar(x: number, from: number, to: number): string {
  const ends =
    from - to < 8
      ? [`M${px(x - 2)} ${px(from)}h4`, `M${px(x - 2)} ${px(to)}h4`]
      : [
          `M${px(x - 2.5)} ${px(from - 3)}l2.5 3l2.5 -3`,
          `M${px(x - 2.5)} ${px(to + 3)}l2.5 -3l2.5 3`,
        ];
  return `M${px(x)} ${px(from)}V${px(to)}${ends.join('')}`;
}

/** At most about `most`: of each kind of packet in a column of pixels, those with the extremes. */
function thinned(
  packets: readonly Packet[],
  xOf: (ms: number) => number,
  most: number,
): readonly Packet[] {
  let kept = packets;
  for (let columnPx = 1; kept.length > most && columnPx < width; columnPx *= 2) {
    const extremes = new Map<string, Packet>();
    for (const packet of packets) {
      const {
        direction,
        order,
        isSyn,
        isFin,
        isReset,
        seq,
        dataBytes,
        ack,
        window,
        carries,
        sacks,
      } = packet;
      const column = Math.round(xOf(packet.atMs) / columnPx);
      const kind = [
        column,
        direction,
        order,
        isSyn,
        isFin,
        isReset,
        carries !== null,
        sacks !== null,
        window === 0,
      ].join();
      [seq, seq + dataBytes, ack, ack + window].forEach((value, which) => {
        for (const sign of [1, -1]) {
          const key = `${kind},${which * sign},${sign}`;
          const best = extremes.get(key);
          const of = (one: Packet) =>
            [one.seq, one.seq + one.dataBytes, one.ack, one.ack + one.window][which] as number;
          if (best === undefined || value * sign > of(best) * sign) extremes.set(key, packet);
        }
      });
    }
    const chosen = new Set(extremes.values());
    kept = packets.filter((packet) => chosen.has(packet));
  }
  return kept;
}

function legend(y: number, used: ReadonlySet<Look>): Svg[] {
  let x = left;
  const samples = (Object.keys(looks) as Look[])
    .filter((look) => used.has(look))
    .flatMap((look) => {
      const isStep = look === 'l1' || look === 'queued';
      const d = isStep ? `M${x} ${y}h8v-7h8` : bar(x + 8, y + 2, y - 10);
      const words = label(x + 22, y, 'muted', looks[look]);
      x += 22 + widthOf(looks[look]) + 20;
      return [element('path', { class: look, d }), words];
    });
  const notes =
    'S, F, R: SYN, FIN, RST. Z: window of 0. Up: sequence numbers of the server. Right: time since the first packet of the ' +
    'connection. Shaded: stalls.';
  return [...samples, label(left, y + 20, 'small muted', notes)];
}
