// Waiting that ends: with what is waited for, when it took too long, or when nobody waits any more.

/**
 * @param signals what ends it. null: nothing.
 * @returns whether the work is done; false: it takes longer.
 * @throws the reason of the signal that was aborted.
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
