// Waits for work, bounded by a timeout and abort signals.

/**
 * @param signals Abort the wait; null entries are ignored.
 * @returns Whether the work is done; false: it takes longer.
 * @throws The reason of the aborted signal.
 */
export async function isDoneWithin(
  waitMs: number,
  work: Promise<void>,
  signals: readonly (AbortSignal | null)[],
): Promise<boolean> {
  const { promise, resolve, reject } = Promise.withResolvers<boolean>();
  const onAbort = ({ target }: Event): void => reject((target as AbortSignal).reason);
  for (const signal of signals) {
    signal?.throwIfAborted();
    signal?.addEventListener('abort', onAbort, { once: true });
  }
  const timer = setTimeout(() => resolve(false), waitMs);
  work.then(() => resolve(true), reject);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    for (const signal of signals) signal?.removeEventListener('abort', onAbort);
  }
}
