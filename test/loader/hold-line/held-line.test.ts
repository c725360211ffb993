// What a reply grants of a held line (Hauck 1994), from either field.

import { describe, expect, it } from 'vitest';
import { grantOf } from '../../../loader/hold-line/held-line.ts';

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
