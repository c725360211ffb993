// Progress of a walk on a terminal: which walk, which page, how long until the next. A line that is written
// over; nothing when the error stream is no terminal.

import { formatMs } from '../../loader/report/units.ts';
import type { WalkStep } from '../../loader/walk/walk.ts';
import { terminal } from '../output-terminal.ts';
import { drawnOn } from '../safe-output.ts';

export interface WalkProgress {
  /** A walk begins. */
  begin(what: string, pages: number): void;
  step(step: WalkStep): void;
  stop(): void;
}

const everyMs = 250;

export function walkProgress(silent: boolean): WalkProgress {
  if (silent || !drawnOn.isTTY) return { begin() {}, step() {}, stop() {} };
  let [walk, ofPages, shown] = ['', 0, false];
  let current: (WalkStep & { atMs: number }) | null = null;
  const show = () => {
    if (current === null) return;
    const { doing, index, thinkMs, atMs } = current;
    const leftMs = Math.max(0, atMs + thinkMs - performance.now());
    const what = doing === 'loading' ? 'loading' : `${formatMs(leftMs)} until the next`;
    const { columns } = terminal(drawnOn);
    const line = `${walk}: page ${index + 1} of ${ofPages}, ${what}`;
    drawnOn.write(`\r${line.slice(0, columns - 1)}\x1b[K`);
    shown = true;
  };
  const timer = setInterval(show, everyMs).unref();
  return {
    begin(what, pages) {
      [walk, ofPages, current] = [what, pages, null];
    },
    step(step) {
      current = { ...step, atMs: performance.now() };
    },
    stop() {
      clearInterval(timer);
      if (shown) drawnOn.write('\r\x1b[K');
    },
  };
}
