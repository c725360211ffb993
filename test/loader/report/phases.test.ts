import { describe, expect, it } from 'vitest';
import { durationMs, phasesOfLoad } from '../../../loader/report/phases.ts';
import fc from '../../support/property.ts';
import { anyPageLoad } from './page-load-arbitrary.ts';
import { connection, pageLoad, resource } from './page-load-builder.ts';
import { sampleLoads } from './sample-loads.ts';

const sent = { requestStartMs: 30, responseStartMs: 50, responseEndMs: 60, connection: 1 };
const opening = { startMs: 2, lookupEndMs: 5, connectEndMs: 15, secureEndMs: 25 };

function phasesOf(...given: Parameters<typeof pageLoad>) {
  return phasesOfLoad(pageLoad(...given)).map((spans) =>
    spans.map(({ phase, startMs, endMs }) => `${phase} ${startMs}-${endMs}`).join(', '),
  );
}

describe('the phases of a resource', () => {
  it('follow one another without gap or overlap from startMs on, whatever the times', () => {
    fc.assert(
      fc.property(anyPageLoad, (load) => {
        for (const [i, spans] of phasesOfLoad(load).entries()) {
          let now = load.resources[i]?.startMs;
          for (const { startMs, endMs } of spans) {
            expect(startMs).toBe(now);
            expect(endMs).toBeGreaterThan(startMs);
            now = endMs;
          }
        }
      }),
    );
  });

  it('hold every part of opening the connection the resource waited for', () => {
    const resources = [resource(sent)];
    expect(phasesOf({ resources, connections: [connection(opening)] })).toEqual([
      'queued 0-2, lookup 2-5, connect 5-15, secure 15-25, queued 25-30, waiting 30-50, receiving 50-60',
    ]);
  });

  it('show the opening once, on the request sent first', () => {
    const resources = [
      resource({ ...sent, pipelineIndex: 1 }),
      resource({ ...sent, pipelineIndex: 0 }),
      resource({ ...sent, pipelineIndex: 2, requestStartMs: 31 }),
    ];
    const phases = phasesOf({ resources, connections: [connection(opening)] });
    expect(phases.map((spans) => spans.split(', ').length)).toEqual([3, 7, 3]);
  });

  it('show of the opening only what came after the resource was found', () => {
    const resources = [resource({ ...sent, startMs: 10 })];
    expect(phasesOf({ resources, connections: [connection(opening)] })[0]).toMatch(
      /^connect 10-15, secure 15-25, /,
    );
  });

  it('show an attempt that was lost, and the opening of the connection of the next', () => {
    const place = { connection: 1, pipelineIndex: 3, code: 'connection-lost' } as const;
    const lostAttempts = [{ requestStartMs: 6, endMs: 20, ...place }];
    const again = resource({ ...sent, connection: 2, startMs: 4, attempts: 2, lostAttempts });
    const first = connection({ id: 1, startMs: 1, lookupEndMs: null, connectEndMs: 5 });
    const second = connection({ id: 2, startMs: 21, lookupEndMs: null, connectEndMs: 27 });
    expect(phasesOf({ resources: [again], connections: [first, second] })).toEqual([
      'connect 4-5, queued 5-6, lost 6-20, queued 20-21, connect 21-27, queued 27-30, waiting 30-50, receiving 50-60',
    ]);
  });

  it('show no opening for a connection kept from an earlier page', () => {
    const kept = connection({ startMs: -90, lookupEndMs: -80, connectEndMs: -60, secureEndMs: -9 });
    expect(phasesOf({ resources: [resource(sent)], connections: [kept] })).toEqual([
      'queued 0-30, waiting 30-50, receiving 50-60',
    ]);
  });

  it('name a body that took no request "cache"', () => {
    const hit = resource({ fromCache: true, startMs: 4, responseEndMs: 5 });
    expect(phasesOf({ resources: [hit] })).toEqual(['cache 4-5']);
  });

  it('are none for a resource of which nothing is known but its start', () => {
    expect(phasesOf({ resources: [resource()] })).toEqual(['']);
  });

  it('add up by name', () => {
    const load = sampleLoads.pipelined;
    const [root = []] = load === undefined ? [] : phasesOfLoad(load);
    expect(durationMs(root, 'connect')).toBeCloseTo(45, 6);
    expect(durationMs(root, 'secure')).toBeNull();
  });
});
