import { afterEach, expect, test, vi } from 'vitest';
import { Pseudonyms } from '../../../prefetchd/engine/pseudonyms.ts';
import { newSalt, pseudonymiser, type Salt } from '../../../prefetchd/model/salt.ts';

const salt = newSalt(Date.UTC(2026, 0, 1));
const counting = newSalt(Date.UTC(2026, 0, 1));

afterEach(() => void vi.useRealTimers());

test('the address and what follows it have each their own', () => {
  const of = pseudonymiser(salt);
  const pseudonyms = new Pseudonyms(salt, counting);
  const expected = { address: of('192.0.2.1'), client: `${of('192.0.2.1')} ${of(' Browser 1')}` };
  for (let n = 0; n < 2; n++) expect(pseudonyms.of('192.0.2.1 Browser 1')).toMatchObject(expected);
  expect(pseudonyms.of('192.0.2.1')).toMatchObject({
    address: expected.address,
    client: expected.address,
  });
  pseudonyms.forget();
  expect(pseudonyms.of('192.0.2.1 Browser 1')).toMatchObject(expected);
});

test('the fingerprint of an address is of its own salt: it outlives pseudonyms', () => {
  const of = (visitors: Salt, clients: Salt) => {
    const all = new Pseudonyms(visitors, clients);
    const found = Array.from({ length: 20 }, (_, n) => all.of(`192.0.2.${n} Browser`).fingerprint);
    expect(all.of('192.0.2.0 another').fingerprint).toBe(found[0]);
    all.forget();
    return found;
  };
  expect(of(newSalt(1), counting)).toEqual(of(salt, counting));
  expect(of(salt, newSalt(1))).not.toEqual(of(salt, counting));
});

test('many clients at once are not taken for each other', () => {
  const of = pseudonymiser(salt);
  const pseudonyms = new Pseudonyms(salt, counting);
  for (let round = 0; round < 2; round++) {
    for (let n = 0; n < 6000; n++) {
      const address = `10.0.${n >> 8}.${n & 255}`;
      expect(pseudonyms.of(`${address} A`).address).toBe(of(address));
    }
  }
  pseudonyms.forget();
});

test('a client is remembered for a second after it came first, however often it comes', () => {
  vi.useFakeTimers();
  const pseudonyms = new Pseudonyms(salt, counting);
  for (let n = 0; n < 9; n++) {
    pseudonyms.of('192.0.2.1');
    vi.advanceTimersByTime(100);
  }
  expect(pseudonyms.remembers).toBe(true);
  vi.advanceTimersByTime(100);
  expect(pseudonyms.remembers).toBe(false);
});
