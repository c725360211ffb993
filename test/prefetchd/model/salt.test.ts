import { expect, test } from 'vitest';
import { isOver, newSalt, pseudonymiser, saltOf } from '../../../prefetchd/model/salt.ts';

const t0 = Date.UTC(2026, 0, 1);
const dayMs = 86_400_000;

test('a pseudonym is the same for the same client and salt, and tells nothing of the client', () => {
  const salt = newSalt(t0);
  const of = pseudonymiser(salt);
  expect(of('192.0.2.1 Mozilla')).toBe(pseudonymiser(saltOf(salt.bytes, t0))('192.0.2.1 Mozilla'));
  expect(of('192.0.2.1 Mozilla')).not.toBe(of('192.0.2.2 Mozilla'));
  expect(of('192.0.2.1 Mozilla')).not.toContain('192');
});

test('with another salt it is another, and the era too', () => {
  const one = newSalt(t0);
  const other = newSalt(t0);
  expect(pseudonymiser(one)('a')).not.toBe(pseudonymiser(other)('a'));
  expect(one.era).not.toBe(other.era);
  expect(saltOf(one.bytes, 0).era).toBe(one.era);
});

test('a salt is over after its life, or when it comes from more than a life ahead', () => {
  const salt = newSalt(t0);
  expect(isOver(salt, t0 + dayMs - 1, dayMs)).toBe(false);
  expect(isOver(salt, t0 + dayMs, dayMs)).toBe(true);
  expect(isOver(salt, t0 - dayMs, dayMs)).toBe(false);
  expect(isOver(salt, t0 - dayMs - 1, dayMs)).toBe(true);
});
