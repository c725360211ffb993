// How much more memory the process held, at most, while something ran.

export interface ResidentGrowth extends Disposable {
  /** Most resident bytes seen so far over those at the start. */
  mostBytes(): number;
}

export function residentGrowth(): ResidentGrowth {
  const before = process.memoryUsage.rss();
  let most = before;
  const look = (): void => {
    most = Math.max(most, process.memoryUsage.rss());
  };
  const timer = setInterval(look, 5);
  return {
    mostBytes() {
      look();
      return most - before;
    },
    [Symbol.dispose]() {
      clearInterval(timer);
    },
  };
}
