// How i is shared, on random logs: by the engine's choice and by simulate alike.

import { expect, it } from 'vitest';
import type { Access, AccessKind } from '../../../prefetchd/access.ts';
import { HintChoice } from '../../../prefetchd/engine/hint-answer.ts';
import { HintHistory } from '../../../prefetchd/engine/hint-history.ts';
import { Visitors } from '../../../prefetchd/engine/visitors.ts';
import { createPredictor, type PredictorName } from '../../../prefetchd/model/index.ts';
import type { NodePredictor } from '../../../prefetchd/model/predictors/node-predictor.ts';
import { type SimulateJob, simulate } from '../../../prefetchd/simulate/simulate.ts';
import { traceOf } from '../../../prefetchd/simulate/trace.ts';
import { type Hint, hintRank } from '../../../prefetchd/wire/hint.ts';
import fc from '../../support/property.ts';
import { randomLog } from '../simulate/random-log.ts';

const minuteMs = 60_000;
const predictors: PredictorName[] = ['dependency-graph', 'double-graph'];
const anyPredictor = fc.constantFrom(...predictors);
const anyLog = randomLog.filter((log) => log.some(({ kind }) => kind === 'document'));
const anyLimit = fc.constantFrom(1, 2, 3, 4, 5, 6, 8, null);

interface Asked {
  threshold?: number;
  limit?: number | null;
  kind?: AccessKind;
}

/** What somebody who has nothing is hinted on a page. */
function hinted(predictor: NodePredictor, page: Access, asked: Asked): Hint[] {
  const history = new HintHistory(new Visitors(10), minuteMs);
  const { threshold = 0, limit = null, kind } = asked;
  const wanted = {
    client: null,
    isShared: false,
    threshold,
    objectThreshold: threshold,
    limit,
    kind,
  };
  return new HintChoice(predictor, history).hintsFor(page, wanted);
}

function taught(name: PredictorName, log: readonly Access[]): NodePredictor {
  const predictor = createPredictor(name, { window: 4 });
  for (const access of log) predictor.observe(access);
  return predictor;
}

/** Somebody new asks for a page of the log, after all of it. */
function visitOf(log: readonly Access[], number: number): Access {
  const pages = log.filter(({ kind }) => kind === 'document');
  const page = pages[number % pages.length] as Access;
  const timeMs = (log.at(-1)?.timeMs ?? 0) + minuteMs;
  return { ...page, client: 'new', timeMs };
}

it('i takes the ranks one after the other, the likeliest first in each, and tells them best first', () => {
  fc.assert(
    fc.property(
      anyPredictor,
      anyLog,
      fc.nat(20),
      anyLimit,
      fc.constantFrom(0, 0.3),
      fc.constantFrom(undefined, 'document', 'object'),
      (name, log, number, limit, threshold, kind) => {
        const predictor = taught(name, log);
        const asked: Asked = { threshold, ...(kind !== undefined && { kind }) };
        const page = visitOf(log, number);
        const all = hinted(predictor, page, asked);
        const direction = kind === 'object' ? -1 : 1;
        const rankOf = (hint: Hint) => direction * hintRank(hint.kind, hint.navigation);
        const best = all.toSorted((one, other) => rankOf(one) - rankOf(other));
        expect(hinted(predictor, page, { ...asked, limit })).toEqual(
          best
            .slice(0, limit ?? undefined)
            .toSorted((one, other) => other.probability - one.probability),
        );
      },
    ),
  );
});

it('simulate lets a new visitor prefetch, for each p and i, exactly what would be hinted', () => {
  fc.assert(
    fc.property(anyPredictor, anyLog, fc.nat(20), (name, log, number) => {
      const page = visitOf(log, number);
      // Sizes that tell from their sum what was fetched.
      const urls = [...new Set(log.map(({ url }) => url))];
      const sized = [...log, page].map((access) => ({
        ...access,
        bytes: 2 ** urls.indexOf(access.url),
      }));
      const predictor = taught(name, sized);
      const points: SimulateJob['points'] = [0, 0.25, 0.5].flatMap((threshold) =>
        [1, 2, 3, 5, null].map((limit) => ({ model: 'simple', threshold, limit })),
      );
      const { points: told } = simulate(traceOf(sized), {
        predictor: name,
        window: 4,
        train: log.length,
        points,
      });
      for (const { threshold, limit, trafficIncrease } of told) {
        const hints = hinted(predictor, page, { threshold, limit });
        const bytes = hints.reduce((sum, { url }) => sum + 2 ** urls.indexOf(url), 0);
        expect(trafficIncrease).toBeCloseTo(bytes / 2 ** urls.indexOf(page.url), 6);
      }
    }),
  );
});

it('an object beyond its places hides no page that comes after it', () => {
  const predictor = createPredictor('dependency-graph', { window: 6 });
  let timeMs = 0;
  const ask = (client: string, url: string): Access => {
    const kind = url.endsWith('.png') ? 'object' : 'document';
    return { client, url, kind, timeMs: ++timeMs, status: 200, bytes: 10, prefetch: false };
  };
  for (let n = 0; n < 10; n++) {
    const way = ['/a', '/b', ...(n < 9 ? ['/x.png'] : []), ...(n < 8 ? ['/c'] : [])];
    for (const url of way) predictor.observe(ask(`c${n}`, url));
  }
  const history = new HintHistory(new Visitors(10), minuteMs);
  const chosen = new HintChoice(predictor, history).hintsFor(ask('new', '/a'), {
    ...{ client: null, isShared: false, kind: undefined, threshold: 0.1, objectThreshold: 0.1 },
    ...{ limit: 3, reservedForLate: 2 },
  });
  expect(chosen.map(({ url }) => url)).toEqual(['/b', '/c']);
});
