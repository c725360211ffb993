// Advice by the engine of the service, with the log's clock. The engine's rules decide which clients are learned from,
// and which URLs are hinted after how many clients, for how long, and up to which size. As with a site's middleware, a
// page is answered before it is learned, and only people's pages are answered (trace.ts).

import { withConstants } from '../../options/options.ts';
import { Engine } from '../engine/engine.ts';
import { type Salt, saltBytes, saltOf } from '../model/salt.ts';
import { hintRank, hintRanks } from '../wire/index.ts';
import { type Advisor, type AdvisorOptions, PrefetchAdvice, type RankAdvice } from './advice.ts';
import { partial, type Trace } from './trace.ts';
import { TraceReader } from './trace-reader.ts';

/** How often the engine replaces salts and ends hints that were not used. */
export const tickMs = 60_000;

/** The salt is no secret here, because the same log must always give the same figures. */
export function saltAt(nowMs: number): Salt {
  return saltOf(new Uint8Array(saltBytes).fill(nowMs / tickMs), nowMs);
}

export class ServiceAdvisor implements Advisor {
  readonly advice: PrefetchAdvice;
  readonly ranks: readonly RankAdvice[];
  readonly #reader: TraceReader;
  readonly #engine: Engine;
  readonly #least: number;
  readonly #numberOfUrl: ReadonlyMap<string, number>;
  readonly #size: Float64Array;
  #nowMs = 0;
  #tickedMs: number;

  constructor(trace: Trace, options: AdvisorOptions) {
    const { predictor, window, thresholds, batchAccesses, settings } = options;
    this.advice = new PrefetchAdvice(hintRanks.length, thresholds, batchAccesses);
    this.ranks = this.advice.ranks;
    this.#reader = new TraceReader(trace);
    if (trace.count > 0) this.#reader.seek(0);
    this.#nowMs = this.#tickedMs = this.#reader.timeMs;
    this.#least = thresholds[0] as number;
    this.#engine = new Engine({
      ...settings.engineOptions,
      predictor,
      window,
      ...withConstants({ newSalt: saltAt }),
      now: () => this.#nowMs,
      load: () => 0,
    });
    this.#numberOfUrl = new Map(trace.urls.map((url, number) => [url, number]));
    this.#size = new Float64Array(trace.urls.length);
  }

  learn(index: number): void {
    this.#observe(index);
  }

  learnAndAdvise(index: number): void {
    const { advice } = this;
    this.#reader.seek(index);
    const { url, client, timeMs, kind } = this.#reader.access();
    this.#nowMs = timeMs;
    const hints =
      kind === 'document' && this.#reader.isOfPerson
        ? this.#engine.hints({
            url,
            client,
            timeMs,
            urlKind: kind,
            limit: null,
            threshold: this.#least,
            objectThreshold: this.#least,
          })
        : [];
    for (let rank = 0; rank < this.ranks.length; rank++) {
      advice.open(rank);
      for (const hint of hints) {
        if (hintRank(hint.kind, hint.navigation) !== rank) continue;
        if (!advice.exceedsThreshold(hint.probability)) break;
        const file = this.#numberOfUrl.get(hint.url);
        if (file !== undefined) advice.add(file, this.#size[file] as number);
      }
      advice.close();
    }
    advice.next();
    this.#observe(index);
  }

  #observe(index: number): void {
    const reader = this.#reader;
    reader.seek(index);
    const [access, file] = [reader.access(), reader.url];
    // A prefetch fetches the whole file, and a partial response does not tell the file's size.
    if (access.status !== partial || !this.#size[file]) this.#size[file] = access.bytes;
    this.#nowMs = access.timeMs;
    if (this.#nowMs - this.#tickedMs >= tickMs) {
      this.#tickedMs = this.#nowMs;
      this.#engine.tick();
    }
    this.#engine.observe(access);
  }
}
