import { describe, expect, it } from 'vitest';
import { timeOf } from '../../../../prefetchd/log/formats/log-time.ts';
import fc from '../../../support/property.ts';

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const anyDate = fc.date({
  min: new Date('0100-01-01T00:00:00Z'),
  max: new Date('9999-12-30T00:00:00Z'),
  noInvalidDate: true,
});

describe('times are those that Date reads, of any day and in any zone', () => {
  it('[29/Aug/1995:23:53:25 -0400]', () => {
    fc.assert(
      fc.property(anyDate, fc.integer({ min: -14 * 60, max: 14 * 60 }), (date, zoneMinutes) => {
        const iso = date.toISOString();
        const away = Math.abs(zoneMinutes);
        const two = (value: number) => String(value).padStart(2, '0');
        const zone = `${zoneMinutes < 0 ? '-' : '+'}${two(Math.floor(away / 60))}${two(away % 60)}`;
        const day = `${iso.slice(8, 10)}/${months[date.getUTCMonth()]}/${iso.slice(0, 4)}`;
        const text = `[${day}:${iso.slice(11, 19)} ${zone}]`;
        const seconds = Math.floor(date.getTime() / 1000) * 1000;
        expect(timeOf(text)).toBe(seconds - zoneMinutes * 60_000);
      }),
    );
  });

  it('2024-01-31T23:53:25.123Z', () => {
    fc.assert(
      fc.property(anyDate, (date) => {
        expect(timeOf(date.toISOString())).toBe(date.getTime());
      }),
    );
  });

  it.each([
    ['2024-01-31 23:53:25+01:00', '2024-01-31T22:53:25Z'],
    ['2024-01-31T23:53:25,5-0230', '2024-02-01T02:23:25.500Z'],
    ['2024-01-31 23:53:25 +0100 UTC', '2024-01-31T22:53:25Z'],
    ['03/20/01 7:55:20', '2001-03-20T07:55:20Z'],
    ['3/9/1999, 17:55:20', '1999-03-09T17:55:20Z'],
  ])('%s', (text, iso) => expect(timeOf(text)).toBe(Date.parse(iso)));

  it.each(['1706695200.123', '1706695200123', '1706695200123000', '1706695200123000000'])(
    'the unit of %s follows from its size',
    (text) => expect(timeOf(text)).toBe(1_706_695_200_123),
  );

  it('or is named', () => expect(timeOf('1000.5', 1000)).toBe(1_000_500));
});

it.each([
  '',
  'x',
  'T',
  '-1',
  '1.2.3.4',
  '29/Aug/1995',
  '32/Aug/1995:00:00:00 +0000',
  '01/Foo/1995:00:00:00 +0000',
  '01/anF/1995:00:00:00 +0000',
  '01/Jan/1995:24:00:00 +0000',
  '01/Jan/1995:00:00:00 +0x00',
  '1/Jan/1995:00:00:00 +0000',
  '2024-13-01T00:00:00Z',
  '2024-01-01',
  '1e400',
  `${'9'.repeat(64)}`,
])('%j is no time', (text) => expect(timeOf(text)).toBeUndefined());
