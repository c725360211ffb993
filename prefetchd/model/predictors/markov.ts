// A first-order Markov chain: the next access depends on the present one alone. This is the dependency graph looking
// one step ahead, whatever the window; `window` exists so that a caller can set it for all predictors alike.

import { checkOptions, checkWindow, type PredictorOptions } from '../model-options.ts';
import { DependencyGraph } from './dependency-graph.ts';

export class Markov extends DependencyGraph {
  override readonly name = 'markov';
  #window: number;

  constructor(options?: PredictorOptions) {
    super({ ...options, window: 2 });
    this.#window = checkOptions(options).window;
  }

  override get window(): number {
    return this.#window;
  }

  override set window(window: number) {
    this.#window = checkWindow(window);
  }
}
