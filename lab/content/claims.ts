// Claims of a paper as a table: what was printed, what is measured, and whether it holds and why.

import type { Table } from '../result.ts';

export interface Claim {
  section: string;
  claim: string;
  printed: number | null;
  here: number;
  holds: 'yes' | 'partly' | 'no';
  why: string;
}

export const claimTable = (claims: readonly Claim[]): Table => ({
  title: 'What the paper says, and whether it holds',
  columns: [
    { name: 'section', meaning: 'of the SIGCOMM paper', text: true },
    { name: 'claim', meaning: 'in short, with what the figures are', text: true },
    { name: 'printed', meaning: 'the figure in the paper; -: none' },
    { name: 'here', meaning: 'the same figure, measured' },
    { name: 'holds', meaning: 'yes, partly or no', text: true },
    { name: 'why', meaning: 'the reason, and that of a difference', text: true },
  ],
  rows: claims.map(({ section, claim, printed, here, holds, why }) => [
    ...[section, claim, printed === null ? null : short(printed), short(here)],
    ...[holds, why],
  ]),
});

/** Three digits or so: figures of claims are of every size. */
function short(figure: number): string {
  if (figure >= 1000) return Math.round(figure).toLocaleString('en');
  return figure < 0.01 ? figure.toFixed(4) : figure.toFixed(figure < 10 ? 2 : 1);
}
