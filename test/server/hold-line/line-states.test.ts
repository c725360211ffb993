// Each edge of Hauck's drawing of the server (1994, figure 2.1), and no other.

import { describe, expect, it } from 'vitest';
import { nextState } from '../../../http/hold-line.ts';
import {
  edges,
  type HeldLineEvent,
  type HeldLineState,
} from '../../../server/hold-line/held-lines.ts';

/** The drawing, as read off it: state, event, state. `accept` leads to open. */
const drawn: Array<[HeldLineState, HeldLineEvent, HeldLineState]> = [
  ['open', 'rcv std', 'standard'],
  ['open', 'rcv hl', 'asked'],
  ['open', 'timeout', 'closed'],
  ['standard', 'reply std', 'closed'],
  ['asked', 'reply std', 'closed'],
  ['asked', 'reply hl', 'held'],
  ['held', 'rcv std', 'standard'],
  ['held', 'rcv hl', 'asked'],
  ['held', 'hl timeout', 'closed'],
];

const events: HeldLineEvent[] = [
  ...(['rcv std', 'rcv hl', 'reply std', 'reply hl', 'timeout', 'hl timeout'] as const),
];

describe('figure 2.1', () => {
  it.each(drawn)('%s, %s: %s', (from, event, to) => {
    expect(nextState(edges, from, event)).toBe(to);
  });

  const states = Object.keys(edges) as HeldLineState[];
  const others = states.flatMap((state) =>
    events
      .filter((event) => !drawn.some(([from, by]) => from === state && by === event))
      .map((event) => [state, event] as const),
  );
  it.each(others)('%s has no edge %s', (state, event) => {
    expect(() => nextState(edges, state, event)).toThrow(`no edge ${event} from ${state}`);
  });

  it('a client that is gone ends each state', () => {
    const alive = states.filter((state) => state !== 'closed');
    expect(alive.map((state) => edges[state].error)).toEqual(alive.map(() => 'closed'));
  });
});
