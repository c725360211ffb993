import { expect, test } from 'vitest';
import { pseudonymsOf } from '../../../prefetchd/engine/visitors.ts';
import { newSalt, pseudonymiser, type Salt } from '../../../prefetchd/model/salt.ts';

const salt = newSalt(Date.UTC(2026, 0, 1));
const counting = newSalt(Date.UTC(2026, 0, 1));

test('the address and what follows it have each their own', () => {
  const of = pseudonymiser(salt);
  const address = of('192.0.2.1');
  const pseudonymOf = pseudonymsOf(salt, counting);
  const expected = { address, client: `${address} ${of(' Browser 1')}` };
  expect(pseudonymOf('192.0.2.1 Browser 1')).toMatchObject(expected);
  expect(pseudonymOf('192.0.2.1')).toMatchObject({ address, client: address });
});

test('the fingerprint of an address is of its own salt: it outlives pseudonyms', () => {
  const of = (visitors: Salt, clients: Salt) => {
    const pseudonymOf = pseudonymsOf(visitors, clients);
    const prints = Array.from({ length: 20 }, (_, n) => pseudonymOf(`192.0.2.${n} A`).fingerprint);
    expect(pseudonymOf('192.0.2.0 another').fingerprint).toBe(prints[0]);
    return prints;
  };
  expect(of(newSalt(1), counting)).toEqual(of(salt, counting));
  expect(of(salt, newSalt(1))).not.toEqual(of(salt, counting));
});
