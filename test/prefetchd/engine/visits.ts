// Engines that end with their test, and visits of theirs: with each a second passes.

import { onTestFinished } from 'vitest';
import { withConstants } from '../../../options/options.ts';
import type { Access } from '../../../prefetchd/access.ts';
import { Engine } from '../../../prefetchd/engine/engine.ts';
import type { PrefetchdOptions } from '../../../prefetchd/engine/prefetchd-options.ts';
import { salted } from '../../support/known-salt.ts';

/** An idle engine with a known salt. */
export function started(options: PrefetchdOptions = {}): Engine {
  const engine = new Engine({ load: () => 0, ...salted, ...options });
  onTestFinished(() => engine.close());
  return engine;
}

/** One that learns from visitors who fetch no objects. */
export const made = (options: PrefetchdOptions = {}): Engine =>
  started({ ...withConstants({ requireObjects: false }), ...options });

let timeMs = Date.now();
export const nowMs = () => timeMs;

/** A visitor asks for a URL. @returns why it was not learned */
export function visit(engine: Engine, visitor: number, url: string, change: Partial<Access> = {}) {
  timeMs += 1000;
  const page = { kind: 'document', status: 200, bytes: 100, prefetch: false } as const;
  return engine.observe({ client: `192.0.2.${visitor} Browser`, url, timeMs, ...page, ...change });
}

/** A visitor goes this way. @returns why the last page was not learned */
export const walk = (engine: Engine, visitor: number, ...urls: string[]) =>
  urls.map((url) => visit(engine, visitor, url)).at(-1);
