// Reports the progress of a sweep at every tenth.

import type { SweepProgress } from '../../prefetchd/simulate/index.ts';

export function sweepProgress(
  what: string,
  say: (line: string) => void,
): (progress: SweepProgress) => void {
  let told = -1;
  return ({ done, total }) => {
    const tenth = Math.floor((done / total) * 10);
    if (tenth <= told) return;
    told = tenth;
    say(`${what}: ${tenth * 10} %`);
  };
}
