// The scanner by itself, as programs use it.

import { describe, expect, it } from 'vitest';
import * as scan from '../../../loader/scan/index.ts';

describe('createScanner', () => {
  it('throws a TypeError when its url is none', () => {
    expect(() => scan.createScanner({ url: '/relative', onReference: () => {} })).toThrow(
      TypeError,
    );
  });

  it('what its listener throws comes out of write', () => {
    const onReference = () => {
      throw new Error('mine');
    };
    const scanner = scan.createScanner({ url: 'http://a.example/', onReference });
    expect(() => scanner.write('<img src=/a>')).toThrow('mine');
  });
});
