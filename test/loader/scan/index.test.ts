// The scanner by itself, as programs use it.

import { describe, expect, it } from 'vitest';
import * as scan from '../../../loader/scan/index.ts';

describe('createScanner', () => {
  it('throws a TypeError when its url is none', () => {
    expect(() => scan.createScanner({ url: '/relative' })).toThrow(TypeError);
  });
});
