// SQLite does not wait by itself when two processes change the mode of a file at once: what failed for that reason is
// tried again. The thread stands still meanwhile, as it does in SQLite's own waiting.

const retryMs = 5;

/** @throws what `work` threw last */
export function retryWhileBusy(
  timeoutMs: number,
  isBusy: (error: unknown) => boolean,
  work: () => void,
): void {
  const pause = new Int32Array(new SharedArrayBuffer(4));
  for (let waitedMs = 0; ; waitedMs += retryMs) {
    try {
      work();
      return;
    } catch (error) {
      if (!isBusy(error) || waitedMs >= timeoutMs) throw error;
      Atomics.wait(pause, 0, 0, retryMs);
    }
  }
}
