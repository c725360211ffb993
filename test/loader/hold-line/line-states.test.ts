// Each edge of the client's table (Hauck 1994, 2.2), and no other.

import { describe, expect, it } from 'vitest';
import {
  ClientLine,
  edges,
  type LineEvent,
  type LineState,
} from '../../../loader/hold-line/held-line.ts';

/** As the text tells it: state, event, state. */
const told: Array<[LineState, LineEvent, LineState]> = [
  ['closed', 'open', 'open'],
  ['open', 'send std', 'standard'],
  ['open', 'send hl', 'asked'],
  ['open', 'error', 'closed'],
  ['standard', 'get std', 'closed'],
  ['standard', 'error', 'closed'],
  ['asked', 'get std', 'closed'],
  ['asked', 'get hl', 'held'],
  ['asked', 'error', 'closed'],
  ['held', 'send std', 'standard on held'],
  ['held', 'send hl', 'asked on held'],
  ['held', 'hl timeout', 'closed'],
  ['held', 'error', 'closed'],
  ['standard on held', 'get std', 'closed'],
  // "This error should be handled by a silent retry opening a new connection to the same server."
  ['standard on held', 'error', 'retry'],
  ['asked on held', 'get std', 'closed'],
  ['asked on held', 'get hl', 'held'],
  ['asked on held', 'error', 'retry'],
  ['retry', 'open', 'open'],
];

/** Events that lead to each state. */
const held: LineEvent[] = ['open', 'send hl', 'get hl'];
const ways: Record<LineState, LineEvent[]> = {
  closed: [],
  open: ['open'],
  standard: ['open', 'send std'],
  asked: ['open', 'send hl'],
  held,
  'standard on held': [...held, 'send std'],
  'asked on held': [...held, 'send hl'],
  retry: [...held, 'send hl', 'error'],
};
const events: LineEvent[] = [
  ...(['open', 'send std', 'send hl', 'get std', 'get hl', 'error', 'hl timeout'] as const),
];

function lineIn(state: LineState): ClientLine {
  const line = new ClientLine();
  for (const event of ways[state]) line.take(event);
  expect(line.state).toBe(state);
  return line;
}

describe('figure 2.2', () => {
  it.each(told)('%s, %s: %s', (from, event, to) => {
    expect(lineIn(from).take(event)).toBe(to);
  });

  const states = Object.keys(edges) as LineState[];
  const others = states.flatMap((state) =>
    events
      .filter((event) => !told.some(([from, by]) => from === state && by === event))
      .map((event) => [state, event] as const),
  );
  it.each(others)('%s has no edge %s', (state, event) => {
    expect(() => lineIn(state).take(event)).toThrow(`no edge ${event} from ${state}`);
  });

  it('is walked from the first request to a third on a new connection, without closing between', () => {
    const line = new ClientLine();
    const walk: LineEvent[] = [
      ...(['open', 'send hl', 'get hl', 'send hl', 'error', 'open', 'send hl'] as const),
    ];
    expect(walk.map((event) => line.take(event))).toEqual([
      ...['open', 'asked', 'held', 'asked on held', 'retry', 'open', 'asked'],
    ]);
  });
});
