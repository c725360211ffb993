import { expect, it } from 'vitest';
import { ResponseSync } from '../../../../loader/transport/connection/response-sync.ts';
import { exchangeOf } from '../pool/sample-exchange.ts';

it('what the end of a connection made a suspect, no proof that comes late makes certain', () => {
  const step = new ResponseSync();
  const exchange = exchangeOf('/a');
  exchange.attempt.pipelineIndex = 1;
  step.sent(0);
  step.sent(1);
  step.ended(exchange);
  expect(step.suspects(1)).toEqual([exchange]);
  step.proven();
  expect(exchange.attempt.inStep).toBe(false);
});
