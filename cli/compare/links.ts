// Defines the networks that have names, and reads those that a user describes: RATE/DELAY[/LOSS], `1.6mbit/150ms/1%`,
// with this delay each way. A name or a description may be followed by settings: `4g:up=1mbit:mtu=576`.

import { CommandError } from '../command-error.ts';

export type LinkSettings = ReturnType<typeof parseLink>;

/** Networks by name: lan, wan, ppp of Nielsen, Gettys et al. 1997, Table 1; t1 of Padmanabhan; others of WebPageTest. */
const named = new Map([
  ['lan', '10mbit/0.3ms'],
  ['wan', '10mbit/45ms'],
  ['t1', '1.544mbit/35ms'],
  ['ppp', '28.8kbit/75ms'],
  ['3g', '1.6mbit/150ms:up=768kbit'],
  ['4g', '9mbit/85ms'],
  ['cable', '5mbit/14ms:up=1mbit'],
  ['fibre', '100mbit/2ms'],
]);

const units: Readonly<Record<string, number>> = { bit: 1, kbit: 1e3, mbit: 1e6, gbit: 1e9 };

/** The settings after a network, as in `4g:up=1mbit`: each function reads a value and returns what it changes. Delay,
 *  queue, loss and reordering apply to both directions, or, as in `4g:up-loss=1%`, to packets from the client. */
const settings = new Map<string, (given: string) => Partial<LinkSettings>>([
  ['up', (given) => ({ upBitsPerSecond: rate(given) })],
  ['delay', (given) => ({ delayMs: within(given, 'ms', 0, 10_000) })],
  ['queue', (given) => ({ queuePackets: within(given, '', 1, 10_000) })],
  ['loss', (given) => ({ loss: share(given) })],
  ['reorder', (given) => ({ reordering: share(given) })],
  ['mtu', (given) => ({ mtuBytes: within(given, '', 576, 1_500) })],
  ['window', (given) => ({ initialWindow: within(given, '', 1, 100) })],
  ['ack', (given) => ({ delayedAckMs: within(given, 'ms', 0, 1_000) })],
]);

/** Reads the value of `--links`. @throws CommandError */
export function parseLinks(text: string): LinkSettings[] {
  return text.split(',').map((each) => {
    const written = each.trim().toLowerCase();
    try {
      return parseLink(written);
    } catch (cause) {
      const where = written === '' ? '' : `${written.slice(0, 60)}: `;
      throw new CommandError(`--links: ${where}${(cause as Error).message}`, 2, { cause });
    }
  });
}

function parseLink(text: string) {
  const [given = '', ...changes] = text.split(':');
  const [first = '', ...own] = (named.get(given) ?? given).split(':');
  const [speed = '', delay, loss = '0%', ...more] = first.split('/');
  if (delay === undefined || more.length > 0) {
    const names = [...named.keys()].join(', ');
    const written = 'or written as 1.6mbit/150ms or 1.6mbit/150ms/1%';
    throw new Error(`a network is ${names}, ${written}, not ${shown(given)}`);
  }
  const bitsPerSecond = rate(speed);
  const link = {
    name: text,
    /** Delay of each direction, ms. */
    delayMs: within(delay, 'ms', 0, 10_000),
    /** Rate towards the client, bits/s; `upBitsPerSecond` is the rate from the client. */
    downBitsPerSecond: bitsPerSecond,
    upBitsPerSecond: bitsPerSecond,
    /** Share of the packets that are lost on the way, each way, 0 to 1. */
    loss: share(loss),
    /** Share of the packets that later ones overtake, each way, 0 to 1. */
    reordering: 0,
    /** Largest IP packet, bytes. */
    mtuBytes: 1500,
    /** First congestion window of both ends, segments; null: that of the kernel, 10 (RFC 6928). */
    initialWindow: null as number | null,
    /** Interval of the timer in delayed-acks.ts, ms; 0: the client acknowledges as the kernel does. */
    delayedAckMs: 0,
    /** Limit on the packets that wait to leave, each way; by default half a second of full packets, at least 50. */
    queuePackets: Math.min(4_000, Math.max(50, Math.round(bitsPerSecond / 8 / 1500 / 2))),
    /** The settings that differ for packets from the client. */
    up: {} as Partial<Record<'delayMs' | 'queuePackets' | 'loss' | 'reordering', number>>,
  };
  for (const setting of [...own, ...changes]) {
    const [key = '', given = ''] = setting.split('=');
    const change = settings.get(key.replace(/^up-(?=delay|queue|loss|reorder)/, ''));
    if (change !== undefined) Object.assign(key.startsWith('up-') ? link.up : link, change(given));
    else throw new Error(`a setting is ${[...settings.keys()].join(', ')}, not ${shown(setting)}`);
  }
  return link;
}

const share = (given: string) => within(given, '%', 0, 50) / 100;

function rate(given: string): number {
  const [, amount, unit = ''] = /^(\d+(?:\.\d+)?)([kmg]?bit)$/.exec(given) ?? [];
  const bitsPerSecond = Number(amount) * (units[unit] ?? Number.NaN);
  if (bitsPerSecond >= 1e3 && bitsPerSecond <= 1e9) return bitsPerSecond;
  throw new Error(`a rate is from 1kbit to 1gbit, not ${shown(given)}`);
}

function within(given: string, unit: string, least: number, most: number): number {
  // A value without a unit is a count, so it must be a whole number.
  const digits = unit === '' ? /^\d+$/ : /^\d+(?:\.\d+)?$/;
  const amount = given.endsWith(unit) ? given.slice(0, given.length - unit.length) : '';
  const value = Number(amount);
  if (digits.test(amount) && value >= least && value <= most) return value;
  throw new Error(`a value is from ${least}${unit} to ${most}${unit}, not ${shown(given)}`);
}

const shown = (text: string) => JSON.stringify(text.slice(0, 60));
