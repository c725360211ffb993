// Where the 25 to 60 KB more of HTTP/1.0's first visits in print are (Tables 4 to 7): what a first visit has beyond a
// validation by HEAD, with the same requests and header sections, are the images' bodies, of 125 KB (3.1).

import type { Cell, Table } from '../../result.ts';
import type { Figures, PaperTable } from './printed.ts';
import { payload, type Row } from './rows.ts';

/** As the paper gives them; ours are nearly as many. */
const imageBytes = 125_000;
const dataSegment = 1460;

export interface Visits {
  table: PaperTable;
  server: string;
  first: Row;
  head: Row;
}

export function imagesSentAgain(all: readonly Visits[]): Table {
  return {
    title: "Where the bytes of HTTP/1.0's first visit are",
    columns: [
      { name: 'table', meaning: 'of the paper', digits: 0 },
      { name: 'server', meaning: 'here', text: true },
      {
        name: 'images printed',
        meaning: 'KB of a first visit less those of a validation by HEAD, as printed',
        digits: 1,
      },
      {
        name: 'times printed',
        meaning: 'how often the 125 KB of the images came, as printed: the same over 125',
      },
      {
        name: 'segments printed',
        meaning: 'full segments, of 1,460 bytes, that the printed surplus is',
        digits: 0,
      },
      { name: 'images', meaning: 'the same KB, measured', digits: 1 },
      { name: 'times', meaning: 'the same, measured' },
    ],
    rows: all.map(({ table: { number, rows }, server, first, head }): Cell[] => {
      const [[, printedFirst], [, printedHead]] = rows['HTTP/1.0 x4'] as [Figures, Figures];
      const printed = printedFirst - printedHead;
      const here = payload(first) - payload(head);
      return [
        ...[number, server, printed / 1000, printed / imageBytes],
        ...[(printed - imageBytes) / dataSegment, here / 1000, here / imageBytes],
      ];
    }),
  };
}
