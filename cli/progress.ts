// Shows progress of a command on a terminal, in a line that is overwritten, and removed at the end.

import { drawnOn, terminal } from './output-terminal.ts';

export interface ProgressLine {
  /** Shows progress. @param share Part that is done, 0..1; undefined: unknown @param done Amount done: `120 lines` */
  show(share: number | undefined, done?: string): void;
  clear(): void;
}

export function progressLine(what: string): ProgressLine {
  const startMs = performance.now();
  let isShown = false;
  return {
    show(share, done) {
      if (!drawnOn.isTTY) return;
      isShown = true;
      const leftMs = share && ((performance.now() - startMs) * (1 - share)) / share;
      const parts = [
        ...(share === undefined ? [] : [`${Math.floor(share * 100)} %`]),
        ...(done === undefined ? [] : [done]),
        ...(leftMs === undefined || share === 0 ? [] : [`${duration(leftMs)} left`]),
      ];
      const text = `${what}: ${parts.join(', ')}`;
      drawnOn.write(`\r${text.slice(0, terminal(drawnOn).columns - 1)}\x1b[K`);
    },
    clear() {
      if (isShown) drawnOn.write('\r\x1b[K');
    },
  };
}

/** Writes a duration in words: `12 s`, `3 min 5 s`, `2 h 10 min`, `5 days`. */
export function duration(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 48 * 60) return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  return `${Math.round(minutes / 1440)} days`;
}
