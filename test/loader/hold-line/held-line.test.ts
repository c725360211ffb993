// Each edge of the client's table (Hauck 1994, 2.2), and no other; and what a reply grants, from either field.

import { describe, expect, it } from 'vitest';
import {
  edges,
  grantOf,
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

describe('figure 2.2', () => {
  it('has these edges, and no other', () => {
    const all = Object.entries(edges).flatMap(([from, to]) =>
      Object.entries(to).map(([event, state]) => [from, event, state]),
    );
    expect(all.toSorted()).toEqual(told.toSorted());
  });
});

describe('a reply', () => {
  const said = (holds: boolean, seconds: number | null, more: number | null = null) => ({
    ...{ holds, seconds, more },
  });

  it.each<[string, Array<Record<string, string>>, object]>([
    ['neither field', [], said(false, null)],
    ['Hold-Line', [{ 'Hold-Line': '5' }], said(true, 5)],
    ['no time', [{ 'hold-line': '' }], said(true, null)],
    ['Keep-Alive', [{ 'KEEP-ALIVE': 'timeout=5, max=9' }], said(false, 5, 9)],
    ['both: the shorter', [{ 'Hold-Line': '7' }, { 'Keep-Alive': 'timeout=3' }], said(true, 3)],
    ['one of both garbage', [{ 'Hold-Line': '7', 'Keep-Alive': 'timeout=-3' }], said(true, 7)],
    ['several lines', ['7', '2', 'x'].map((time) => ({ 'Hold-Line': time })), said(true, 2)],
    ['a negative time', [{ 'Hold-Line': '-5' }], said(false, null)],
    ['a list', [{ 'Hold-Line': '5, 6' }], said(false, null)],
    ['a huge time', [{ 'Hold-Line': '999999999' }], said(true, 3600)],
  ])('%s', (_what, fields, grant) => {
    expect(grantOf(fields.flatMap((each) => Object.entries(each)))).toEqual(grant);
  });
});
