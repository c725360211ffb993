import { describe, expect, it } from 'vitest';
import { toJson } from '../../../loader/report/json.ts';
import fc from '../../support/property.ts';
import { anyPageLoad } from './page-load-arbitrary.ts';
import { pageLoad, resource } from './page-load-builder.ts';
import { broken } from './sample-loads.ts';

const contract = {
  load: 'url protocol resources totals timing',
  resource:
    'url kind initiator status fromCache bodyBytes encodedBytes transferBytes startMs ' +
    'requestStartMs responseStartMs responseEndMs connection pipelineIndex batch error',
  totals:
    'requests responses connections batches transferBytes bodyBytes notModified fromCache errors',
  timing: 'firstByteMs htmlEndMs sizesKnownMs completeMs',
};

describe('toJson', () => {
  it('begins with the fields of the contract, in its order', () => {
    fc.assert(
      fc.property(anyPageLoad, (load) => {
        const json = toJson(load);
        const names = (value: object) => `${Object.keys(value).join(' ')} `;
        expect(names(json).startsWith(`${contract.load} `)).toBe(true);
        expect(names(json.totals).startsWith(`${contract.totals} `)).toBe(true);
        expect(names(json.timing).startsWith(`${contract.timing} `)).toBe(true);
        for (const row of json.resources) {
          expect(names(row).startsWith(`${contract.resource} `)).toBe(true);
        }
      }),
    );
  });

  it('survives JSON: no undefined, NaN or -0', () => {
    fc.assert(
      fc.property(anyPageLoad, (load) => {
        const json = toJson(load);
        expect(JSON.parse(JSON.stringify(json))).toEqual(json);
      }),
    );
  });

  it('rounds times to 0.001 ms and keeps null', () => {
    const load = pageLoad({ resources: [resource({ startMs: 1.23456, responseEndMs: 2.0005 })] });
    expect(toJson(load).resources[0]).toMatchObject({
      startMs: 1.235,
      requestStartMs: null,
      responseEndMs: 2.001,
    });
  });

  it('an error is its code and message, else null', () => {
    const errors = toJson(broken()).resources.map(({ error }) => error);
    expect(errors[3]).toBeNull();
    expect(errors[8]).toEqual({
      code: 'address-refused',
      message: '10.0.0.8 is a private address',
    });
  });
});
