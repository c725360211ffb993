// The rules of the claims, held against the printed figures themselves: what would be said of a laboratory that measures
// exactly what the paper prints, or half of the gain.

import { expect, test } from 'vitest';
import { claimsOf } from './claims.ts';
import { type Compared, differencesOf } from './differences.ts';
import { browsers, type Figures, type PaperTable, tables } from './printed.ts';
import type { Row } from './rows.ts';

function rowOf([count, bytes, seconds]: Figures, connections: number, visit: Row['visit']): Row {
  const whole = bytes + 40 * count;
  const of = (median: number) => ({ median });
  return {
    ...{ way: '', visit },
    completeMs: of(1000 * seconds),
    ...{ packetsUp: of(count / 3), packetsDown: of((2 * count) / 3) },
    ...{ bytesUp: of(whole / 10), bytesDown: of((9 * whole) / 10) },
    overheadPercent: of((4000 * count) / whole),
    packetBytes: of(whole / count),
    packetsPerConnection: of(count / connections),
  };
}

const printedRows = (table: PaperTable, worse = 1) =>
  claimsOf(table, 'as printed', (way, visit) => {
    const browser = browsers.find(({ server }) => server === table.server);
    const all = { ...table.rows, browser: browser?.rows['Netscape Navigator'] };
    const figures = all[way]?.[visit === 'first' ? 0 : 1] as Figures;
    const factor = way === 'HTTP/1.0 x4' ? 1 : worse;
    const [count, bytes, seconds, overhead] = figures;
    const given: Figures = [factor * count, bytes, factor * seconds, overhead];
    return rowOf(given, way === 'HTTP/1.0 x4' ? 43 : 1, visit);
  });

const not = (rows: ReturnType<typeof claimsOf>) =>
  rows.filter(([, , , , , holds]) => holds === 'no').map(([, , words]) => String(words));

test.each(tables.map((table) => [table.number, table] as const))(
  'table %i as printed: its ratios are those printed, and each verdict has a reason of its own',
  (_number, table) => {
    for (const [, , words, was, is, holds, reason] of printedRows(table)) {
      expect([words, Number(is).toFixed(6)]).toEqual([words, Number(was).toFixed(6)]);
      expect(['yes', 'no']).toContain(holds);
      expect(reason).not.toBe('');
    }
  },
);

test('what the printed tables themselves do not bear out is said', () => {
  const [lan, , wan] = tables as [PaperTable, PaperTable, PaperTable];
  const range = 'between a factor of two and of ten';
  expect(not(printedRows(wan)).some((words) => words.includes(range))).toBe(true);
  expect(not(printedRows(wan)).some((words) => words.includes('halved'))).toBe(false);
  expect(not(printedRows(lan)).some((words) => words.includes('halved'))).toBe(true);
  expect(not(printedRows(wan, 2)).some((words) => words.includes('less than a tenth'))).toBe(true);
});

test('a difference without a known reason says so, and figures as printed are none', () => {
  const row = { table: 6, link: 'wan', server: 'nginx', visit: 'first', way: 'pipelined' } as const;
  const of = (packets: number): Compared => ({
    ...row,
    ...{ ratios: { packets, bytes: 1, seconds: 1 }, connections: 1 },
  });
  expect(differencesOf([of(1)]).rows).toEqual([]);
  expect(differencesOf([of(0.5)]).rows[0]?.at(-1)).toBe('no reason is known');
});
