// Caches what texts mean on a screen, because a page and its sheets repeat the same few media queries and sizes.

import { TextMemo } from '../../../process/text-memo.ts';
import type { Screen } from './environment.ts';

/** Most texts that are cached for each screen. */
const most = 256;

export class ScreenMemo<T extends NonNullable<unknown>> {
  readonly #compute: (text: string, screen: Screen) => T;
  readonly #memos = new WeakMap<Screen, TextMemo<T>>();

  constructor(compute: (text: string, screen: Screen) => T) {
    this.#compute = compute;
  }

  of(text: string, screen: Screen): T {
    let memo = this.#memos.get(screen);
    if (memo === undefined) {
      memo = new TextMemo((each) => this.#compute(each, screen), most);
      this.#memos.set(screen, memo);
    }
    return memo.get(text);
  }
}
