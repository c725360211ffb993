// Defines the networks that have names, and reads those that a user describes: RATE/DELAY[/LOSS], `1.6mbit/150ms/1%`,
// with this delay each way. A name or a description may be followed by settings: `4g:up=1mbit:mtu=576`.

import { CommandError } from '../command-error.ts';

export interface LinkSettings {
  name: string;
  /** Delay of each direction, ms. */
  delayMs: number;
  /** Rate towards the client, bits/s; `upBitsPerSecond` is the rate from the client. */
  downBitsPerSecond: number;
  upBitsPerSecond: number;
  /** Limit on the packets that wait to leave, each way; a further one is dropped, as by a router. */
  queuePackets: number;
  /** Share of the packets that are lost on the way, each way, 0 to 1. */
  loss: number;
  /** Share of the packets that later ones overtake, each way, 0 to 1. */
  reordering: number;
  /** Largest IP packet, bytes. */
  mtuBytes: number;
  /** First congestion window of both ends, segments; null: the kernel's, 10 (RFC 6928). */
  initialWindow: number | null;
  /**
   * The client acknowledges every second full segment, and a lone one at the next multiple of this time, as BSD did with
   * 200 ms; 0: it acknowledges as the kernel does.
   */
  delayedAckMs: number;
}

const link = (
  name: string,
  delayMs: number,
  downBitsPerSecond: number,
  upBitsPerSecond = downBitsPerSecond,
): LinkSettings => ({
  name,
  delayMs,
  downBitsPerSecond,
  upBitsPerSecond,
  loss: 0,
  reordering: 0,
  mtuBytes: 1500,
  initialWindow: null,
  delayedAckMs: 0,
  // The queue holds half a second of full packets, and at least 50, as in a modem or a router.
  queuePackets: Math.min(4_000, Math.max(50, Math.round(downBitsPerSecond / 8 / 1500 / 2))),
});

/**
 * Networks that have a name: lan, wan and ppp are those of Nielsen, Gettys et al. 1997, Table 1; t1 is Padmanabhan's;
 * the others are those to which WebPageTest gives these names.
 */
export const links: Readonly<Record<string, LinkSettings>> = {
  lan: link('lan', 0.3, 10e6),
  wan: link('wan', 45, 10e6),
  t1: link('t1', 35, 1.544e6),
  ppp: link('ppp', 75, 28_800),
  '3g': link('3g', 150, 1.6e6, 768e3),
  '4g': link('4g', 85, 9e6),
  cable: link('cable', 14, 5e6, 1e6),
  fibre: link('fibre', 2, 100e6),
};

const units: Readonly<Record<string, number>> = { bit: 1, kbit: 1e3, mbit: 1e6, gbit: 1e9 };
const number = '\\d+(?:\\.\\d+)?';
const network = new RegExp(`^(${number}[kmg]?bit)/(${number}ms)(?:/(${number}%))?$`);

/** The settings after a network, as in `4g:up=1mbit`: each function reads a value and returns what it changes. */
const settings: Readonly<Record<string, (given: string) => Partial<LinkSettings>>> = {
  up: (given) => ({ upBitsPerSecond: rate(given) }),
  queue: (given) => ({ queuePackets: within(given, '', 1, 10_000) }),
  loss: (given) => ({ loss: within(given, '%', 0, 50) / 100 }),
  reorder: (given) => ({ reordering: within(given, '%', 0, 50) / 100 }),
  mtu: (given) => ({ mtuBytes: within(given, '', 576, 1_500) }),
  window: (given) => ({ initialWindow: within(given, '', 1, 100) }),
  ack: (given) => ({ delayedAckMs: within(given, 'ms', 0, 1_000) }),
};

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

function parseLink(text: string): LinkSettings {
  const [name = '', ...rest] = text.split(':');
  const changes = rest.map((setting) => {
    const [key = '', given = ''] = setting.split('=');
    const change = Object.hasOwn(settings, key) ? settings[key] : undefined;
    if (change !== undefined) return change(given);
    throw new Error(`a setting is ${Object.keys(settings).join(', ')}, not ${shown(setting)}`);
  });
  return Object.assign({ ...networkOf(name), name: text }, ...changes);
}

function networkOf(text: string): LinkSettings {
  const known = Object.hasOwn(links, text) ? links[text] : undefined;
  if (known !== undefined) return known;
  const parts = network.exec(text);
  if (parts === null) {
    const names = Object.keys(links).join(', ');
    throw new Error(
      `a network is ${names}, or written as 1.6mbit/150ms or 1.6mbit/150ms/1%, not ${shown(text)}`,
    );
  }
  const [, speed = '', delay = '', percent = '0%'] = parts;
  const delayMs = within(delay, 'ms', 0, 10_000);
  return { ...link(text, delayMs, rate(speed)), loss: within(percent, '%', 0, 50) / 100 };
}

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
