// Networks by name, and as a user writes one: RATE/DELAY[/LOSS], `1.6mbit/150ms/1%`, with one delay each way.

import { CommandError } from '../command-error.ts';

export interface LinkSettings {
  name: string;
  /** One way. */
  delayMs: number;
  /** Towards the client. */
  downBitsPerSecond: number;
  upBitsPerSecond: number;
  /** Packets that wait to leave, each way; the next is dropped, as by a router. */
  queuePackets: number;
  /** Share of the packets that are lost on the way, each way, 0 to 1. */
  loss: number;
}

const link = (
  name: string,
  delayMs: number,
  downBitsPerSecond: number,
  upBitsPerSecond = downBitsPerSecond,
): LinkSettings => ({
  ...{ name, delayMs, downBitsPerSecond, upBitsPerSecond, loss: 0 },
  // Half a second of full packets, at least 50: a modem's, a router's.
  queuePackets: Math.min(4_000, Math.max(50, Math.round(downBitsPerSecond / 8 / 1500 / 2))),
});

/**
 * lan, wan and ppp are those of Nielsen, Gettys et al. 1997, Table 1; t1 is Padmanabhan's; the others are what
 * WebPageTest calls so.
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
const leastRate = 1_000;
const mostRate = 1e9;
const mostDelayMs = 10_000;

/** @throws CommandError */
export function parseLinks(text: string): LinkSettings[] {
  return text.split(',').map((each) => parseLink(each.trim().toLowerCase()));
}

function parseLink(text: string): LinkSettings {
  const known = links[text];
  if (known !== undefined) return known;
  const written = /^(\d+(?:\.\d+)?)([kmg]?bit)\/(\d+(?:\.\d+)?)ms(?:\/(\d+(?:\.\d+)?)%)?$/.exec(
    text,
  );
  if (written === null) {
    const names = Object.keys(links).join(', ');
    const rule = `a network is ${names}, or written as 1.6mbit/150ms or 1.6mbit/150ms/1%`;
    throw new CommandError(`--links: ${rule}, not ${JSON.stringify(text.slice(0, 60))}`, 2);
  }
  const [, amount, unit = '', delay, percent = '0'] = written;
  const rate = Number(amount) * (units[unit] as number);
  const delayMs = Number(delay);
  const loss = Number(percent) / 100;
  if (rate < leastRate || rate > mostRate) {
    throw new CommandError(`--links: ${text}: a rate is from 1kbit to 1gbit`, 2);
  }
  if (delayMs > mostDelayMs) throw new CommandError(`--links: ${text}: a delay ends at 10000ms`, 2);
  if (loss > 0.5) throw new CommandError(`--links: ${text}: more than 50% are not lost`, 2);
  return { ...link(text, delayMs, rate), loss };
}
