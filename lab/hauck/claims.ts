// What Hauck says of his figures (1994, 3 and 4), judged by ours.

import type { Cell, Table } from '../result.ts';
import type { HisClient } from './his-client.ts';
import type { NextPages } from './next-pages.ts';

export function claims({ ratios }: HisClient, { inFiveSeconds }: NextPages): Table {
  const links = [...new Set(ratios.map(({ link }) => link))];
  const rows = links.flatMap((link): Cell[][] => {
    const own = ratios.filter((each) => each.link === link && each.forks);
    return own.map(({ document, printed, ratio }) => [
      `a significant optimization (3): ${document}, ${link}`,
      printed,
      ratio,
      ratio < 0.8 ? 'yes' : 'no',
      ratio < printed + 0.06
        ? 'as his: a connection takes one round trip of the two that each request has, and a process'
        : 'less than his: without distance a connection costs little beside the rest',
    ]);
  });
  const five = inFiveSeconds.map(({ log, percent }): Cell[] => [
    `5 s are sufficient to load the next document (4): ${log}, share of next pages`,
    null,
    percent / 100,
    percent > 50 ? 'yes' : 'no',
    percent > 50
      ? 'half of the pages come as fast, crawlers that look like browsers among them'
      : 'he knew the way to a page and clicked through; readers of this log read what is on the way',
  ]);
  return {
    title: 'What he concludes',
    columns: [
      { name: 'claim', meaning: 'of the paper', text: true },
      { name: 'printed', meaning: 'hold-line over standard, as printed' },
      { name: 'here', meaning: 'the same with his client and the server that forks; or a share' },
      { name: 'holds', meaning: 'yes or no', text: true },
      { name: 'why', meaning: 'what makes it so', text: true },
    ],
    rows: [...rows, ...five],
  };
}
