// Retries an operation that SQLite refuses without waiting, when two processes change the journal mode of a file at
// once. The thread blocks meanwhile, as in SQLite's own waiting.

const retryMs = 5;

/** Runs `work`, and repeats it while SQLite refuses it, for at most `timeoutMs`. @throws the last error of `work` */
export function retryWhileBusy<Result>(
  timeoutMs: number,
  isBusy: (error: unknown) => boolean,
  work: () => Result,
): Result {
  const pause = new Int32Array(new SharedArrayBuffer(4));
  for (let waitedMs = 0; ; waitedMs += retryMs) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error) || waitedMs >= timeoutMs) throw error;
      Atomics.wait(pause, 0, 0, retryMs);
    }
  }
}
