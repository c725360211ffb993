// What a walk gains by prefetching: walks without and with it alternate, and the times of the pages after the first,
// which nothing can have prefetched, are compared. One walk says little on a machine that does other things too.

import { formatMs } from '../../loader/report/units.ts';
import type { WalkRecord } from '../../loader/walk/walk-record.ts';

export interface Round {
  without: WalkRecord;
  with: WalkRecord;
}

/** Median, minimum and maximum of the times without and with prefetching, and of the share saved per round. */
export function gainLines(rounds: readonly Round[]): string[] {
  const [first] = rounds;
  if (first === undefined) return [];
  const without = rounds.map((round) => laterMs(round.without));
  const with_ = rounds.map((round) => laterMs(round.with));
  const saved = with_.map((ms, round) => 100 * (1 - ms / (without[round] as number)));
  const percent = (share: number): string => `${Math.round(share)} %`;
  const pages = first.without.pages.length - 1;
  return [
    `time of the ${pages} pages after the first, ${rounds.length} walks of each kind in turns:`,
    `without  ${spread(without, formatMs)}`,
    `with     ${spread(with_, formatMs)}`,
    `saved    ${spread(saved, percent)}`,
  ];
}

function laterMs({ pages }: WalkRecord): number {
  return pages.slice(1).reduce((sum, { load }) => sum + (load.timeMs ?? 0), 0);
}

function spread(values: readonly number[], format: (value: number) => string): string {
  const sorted = values.toSorted((left, right) => left - right);
  const at = (place: number): string => format(sorted[Math.floor(place)] as number);
  const last = sorted.length - 1;
  return `${at(last / 2)} (median; ${at(0)} to ${at(last)})`;
}
