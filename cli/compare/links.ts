// Defines the networks that have names, and reads those that a user describes: RATE/DELAY[/LOSS], `1.6mbit/150ms/1%`,
// with this delay each way. A name or a description may be followed by settings: `4g:up=1mbit:mtu=576`.

import { CommandError } from '../command-error.ts';

export type LinkSettings = ReturnType<typeof parseLink>;

/** Networks that have a name: lan, wan and ppp are those of Nielsen, Gettys et al. 1997, Table 1; t1 is Padmanabhan's;
 *  the others are those to which WebPageTest gives these names. */
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

/** The settings after a network, as in `4g:up=1mbit`: each function reads a value and returns what it changes. */
const settings = new Map<string, (given: string) => Partial<LinkSettings>>([
  ['up', (given) => ({ upBitsPerSecond: rate(given) })],
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
  const delayMs = within(delay, 'ms', 0, 10_000);
  const bitsPerSecond = rate(speed);
  const link = {
    name: text,
    /** Delay of each direction, ms. */
    delayMs,
    /** Rate towards the client, bits/s; `upBitsPerSecond` is the rate from the client. */
    downBitsPerSecond: bitsPerSecond,
    upBitsPerSecond: bitsPerSecond,
    /** Share of the packets that are lost on the way, each way, 0 to 1. */
    loss: share(loss),
    /** Share of the packets that later ones overtake, each way, 0 to 1. */
    reordering: 0,
    /** Largest IP packet, bytes. */
    mtuBytes: 1500,
    /** First congestion window of both ends, segments; null: the kernel's, 10 (RFC 6928). */
    initialWindow: null as number | null,
    /** Interval of a timer, ms, at whose ticks the client sends acknowledgments, except those of every second full
     *  segment, which leave at once: BSD had 200 ms. 0: the client acknowledges as the kernel does. */
    delayedAckMs: 0,
    /** Limit on the packets that wait to leave, each way; a further one is dropped, as by a modem or a router. Unless a
     *  user sets it, half a second of full packets, and at least 50. */
    queuePackets: Math.min(4_000, Math.max(50, Math.round(bitsPerSecond / 8 / 1500 / 2))),
  };
  Object.assign(link, ...[...own, ...changes].map(changeOf));
  return link;
}

function changeOf(setting: string): Partial<LinkSettings> {
  const [key = '', given = ''] = setting.split('=');
  const change = settings.get(key);
  if (change !== undefined) return change(given);
  throw new Error(`a setting is ${[...settings.keys()].join(', ')}, not ${shown(setting)}`);
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
