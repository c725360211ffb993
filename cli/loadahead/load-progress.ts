// Shows the progress of a load on a terminal: a spinner with the numbers of resources found and loaded. Nothing is
// shown if the error stream is no terminal. The spinner is loaded only when a load takes long enough to see it.

import type { LoadProgress } from '../../loader/page/page-progress.ts';
import { formatBytes } from '../../loader/report/units.ts';
import { drawnOn } from '../output-terminal.ts';

export interface Progress {
  update(progress: LoadProgress): void;
  /** Shows another text, for other work. */
  say(text: string): void;
  stop(): void;
}

const appearAfterMs = 150;

export function showProgress(silent: boolean): Progress {
  if (silent || !drawnOn.isTTY) return { update() {}, say() {}, stop() {} };
  let latest = 'connecting';
  let stopped = false;
  let spinner: { text: string; stop(): unknown } | null = null;
  const timer = setTimeout(async () => {
    const { default: yoctoSpinner } = await import('yocto-spinner');
    if (!stopped) spinner = yoctoSpinner({ text: latest, stream: drawnOn }).start();
  }, appearAfterMs);
  timer.unref();
  const say = (text: string) => {
    latest = text;
    if (spinner !== null) spinner.text = text;
  };
  return {
    say,
    update({ found, done, bodyBytes }) {
      say(`${done} of ${found} resources, ${formatBytes(bodyBytes)}`);
    },
    stop() {
      stopped = true;
      clearTimeout(timer);
      spinner?.stop();
    },
  };
}
