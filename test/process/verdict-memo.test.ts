import { describe, expect, test } from 'vitest';
import { VerdictMemo } from '../../process/verdict-memo.ts';
import fc from '../support/property.ts';

/** Of any text, one of four. */
const judge = (text: string) => ['denied', 'query', null, ''][text.length % 4] as string | null;

describe('verdicts that are kept', () => {
  test('are those of the text, whatever was judged before', () => {
    const verdicts = new VerdictMemo(judge);
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(verdicts.of(text)).toBe(judge(text));
        expect(verdicts.of(text)).toBe(judge(text));
      }),
    );
  });

  test('stay right when there are far more texts than places', () => {
    const verdicts = new VerdictMemo(judge);
    const wrong = [];
    for (let round = 0; round < 2; round++) {
      for (let n = 0; n < 200_000; n++) {
        const url = `/section-${n % 97}/page-${'0'.repeat(n % 5)}${n}.html`;
        if (verdicts.of(url) !== judge(url)) wrong.push(url);
      }
    }
    expect(wrong).toEqual([]);
  });

  test('tell texts apart that differ little', () => {
    const judged: string[] = [];
    const verdicts = new VerdictMemo((text) => judged.push(text) % 200);
    const texts = [
      '',
      '\0',
      '\0\0',
      '/a',
      '/b',
      '/ab',
      '/ba',
      '/\u0141',
      '/A',
      '/\ud800',
      '/\udc00',
    ];
    for (const text of texts) verdicts.of(text);
    expect(judged).toEqual(texts);
  });

  test('are judged once while they are held', () => {
    let asked = 0;
    const verdicts = new VerdictMemo(() => {
      asked++;
      return null;
    });
    for (let n = 0; n < 100; n++) verdicts.of('/a');
    expect(asked).toBe(1);
  });
});
