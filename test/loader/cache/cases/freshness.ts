// RFC 9111 4.2, 5.1, 5.3, and Cache-Control as it is written (5.2).

import {
  type Case,
  control,
  date,
  type Fields,
  got,
  hit,
  hitWith,
  miss,
  type Row,
  section,
  validate,
} from './case.ts';

const modified = { 'last-modified': date(-1000) };
const tag = { etag: '"a"' };
const fresh = (cacheControl: string | string[]) => got({ 'cache-control': cacheControl });

const fast = { date: date(400), expires: date(460) };
const as = (status: number, directive: string) =>
  got({ ...modified, 'cache-control': directive }, { status });
const aged = (age: string | string[]) => control('max-age=3600', { age });
const of37Seconds = hitWith({ age: '37' });
const cdn = (targeted: string, fields: Fields = {}) =>
  got({ 'cdn-cache-control': targeted, ...fields });

export const freshnessCases: Case[] = [
  ...section('RFC 9111 4.2.1 lifetime', [
    ['max-age is not over', 'max-age=60', 59, hit],
    ['max-age is over to the second', 'max-age=60', 60, miss],
    ['max-age=0 is stale at once', control('max-age=0', tag), 0, validate],
    ['max-age goes before a past Expires', control('max-age=60', { expires: date(-9) }), 1, hit],
    ['max-age goes before a later Expires', control('max-age=5', { expires: date(90) }), 9, miss],
    ['max-age goes before an invalid Expires', control('max-age=60', { expires: '0' }), 1, hit],
    ['a private cache knows no s-maxage', 's-maxage=60, max-age=5', 9, miss],
    ['s-maxage alone is no lifetime in a private cache', 's-maxage=60', 1, miss],
    ['Expires counts from Date', { expires: date(60) }, 59, hit],
    ['Expires is over', { expires: date(60) }, 60, miss],
    ['Expires as Date is stale', { expires: date(0), ...tag }, 0, validate],
    ['Expires before Date is stale', { expires: date(-5), ...tag }, 0, validate],
    ['of a server whose clock is fast, Expires counts from its Date', fast, 50, hit],
    ['a fast clock does not lengthen Expires', fast, 61, miss],
    ['without Date, Expires counts from when it came', { date: null, expires: date(60) }, 59, hit],
    ['an invalid Date is none', { date: 'yesterday', expires: date(60) }, 59, hit],
    ['2^31 seconds and more are a long time', 'max-age=99999999999', 2 ** 30, hit],
    ['digits without end are a long time', `max-age=${'9'.repeat(400)}`, 2 ** 30, hit],
    ['of two max-age the shorter: over', fresh(['max-age=60', 'max-age=5']), 9, miss],
    ['of two max-age the shorter: first', 'max-age=5, max-age=60', 9, miss],
    ['of two max-age, fresh by both', fresh(['max-age=60', 'max-age=30']), 9, hit],
    ['of two Expires the earlier', { expires: [date(60), date(5)] }, 9, miss],
    ['nothing said is stale', tag, 0, validate],
  ]),
  ...section('RFC 9111 4.2.2 heuristics', [
    ['a tenth of the time since Last-Modified', modified, 99, hit],
    ['no more than a tenth', modified, 100, validate],
    ['a day at most', { 'last-modified': date(-365 * 86_400) }, 86_399, hit],
    ['a day is over', { 'last-modified': date(-365 * 86_400) }, 86_400, validate],
    ['Last-Modified in the future gives nothing', { 'last-modified': date(1000) }, 1, validate],
    ['an invalid one gives nothing', { 'last-modified': 'long ago', ...tag }, 1, validate],
    ['none where Expires is there', { ...modified, expires: '0' }, 1, validate],
    ['none where max-age is there', { ...modified, 'cache-control': 'max-age=0' }, 1, validate],
    ...[201, 302, 403, 500].map(
      (status): Row => [`none for ${status}`, got(modified, { status }), 1, miss],
    ),
    ['none for 302, though private lets it be stored', as(302, 'private'), 1, validate],
    ...[301, 404, 410, 501].map(
      (status): Row => [`for ${status}`, got(modified, { status }), 1, hit],
    ),
    ['for any status that is public', as(599, 'public'), 1, hit],
    ['none by Pragma alone', { ...modified, pragma: 'no-cache' }, 1, validate],
  ]),
  ...section('RFC 9111 4.2.3 age', [
    ['Age counts', control('max-age=60', { age: '50' }), 9, hit],
    ['Age and time together are over', control('max-age=60', { age: '50' }), 10, miss],
    ['an old Date is an age', control('max-age=60', { date: date(-50) }), 10, miss],
    ['the greater of Date and Age', control('max-age=60', { date: date(-50), age: '5' }), 9, hit],
    ['the time it took is added', got(control('max-age=60', { age: '50' }), { took: 8 }), 10, miss],
    ['a Date in the future is no age', control('max-age=60', { date: date(500) }), 59, hit],
    ['without Date it is as old as it is here', control('max-age=60', { date: null }), 59, hit],
    ['a hit tells its age', 'max-age=60', 7.9, hitWith({ age: '7' })],
    ['also what it had when it came', control('max-age=60', { age: '30' }), 7, of37Seconds],
    ['also what an old Date says', control('max-age=60', { date: date(-30) }), 7, of37Seconds],
    ['Date stays as it came', 'max-age=60', 7, hitWith({ date: date(0) })],
    ['a clock set back does not make it young', 'max-age=60', -3600, miss],
  ]),
  ...section('RFC 9111 5.1 Age', [
    ...['abc', '-7200', '7200.0', '7200;a=b', '7200 7200', '', ';', '0x10'].map(
      (age): Row => [`"${age}" is no whole number: ignored`, aged(age), 1, hit],
    ),
    ...[['0, 7200'], ['0', '7200'], ['0', '0'], ['0,abc'], [', 0']].map(
      (age): Row => [`of ${JSON.stringify(age)} the first counts: young`, aged(age), 1, hit],
    ),
    ...[['7200, 0'], ['7200', '0'], ['7200,abc']].map(
      (age): Row => [`of ${JSON.stringify(age)} the first counts: old`, aged(age), 1, miss],
    ),
    ['an endless Age is old', aged('9'.repeat(40)), 1, miss],
    ['zeros before it do not matter', control('max-age=60', { age: '0050' }), 9, hit],
  ]),
  ...section('RFC 9111 5.2 Cache-Control as it is written', [
    ['names are in any case', 'MaX-aGe=60', 59, hit],
    ['field names are, too', { 'CACHE-control': 'max-age=60' }, 59, hit],
    ['letters after the quotes', 'max-age="60"s', 1, miss],
    ['blanks around the value', { expires: `  ${date(60)} ` }, 59, hit],
    ['an unknown directive is no harm', 'foo, max-age=60, bar=1', 59, hit],
    ['a quoted number', 'max-age="60"', 59, hit],
    ['zeros before it', 'max-age=0060', 59, hit],
    ['a number in single quotes is none', "max-age='60'", 1, miss],
    ['a negative number is none', 'max-age=-60', 1, miss],
    ['a fraction is none', 'max-age=60.5', 1, miss],
    ['letters after it', 'max-age=60s', 1, miss],
    ['a blank before =', 'max-age =60', 1, miss],
    ['a blank after =', 'max-age= 60', 1, miss],
    ['no argument', 'max-age', 1, miss],
    ['max-age within quotes is none', 'ext="max-age=60", max-age=1', 9, miss],
    ['max-age within quotes, after the real one', 'max-age=1, ext="max-age=60"', 9, miss],
    ['a comma within quotes separates nothing', 'ext="a, no-store, b", max-age=60', 9, hit],
    ['an escaped quote closes nothing', 'ext="a\\", no-store, b", max-age=60', 9, hit],
    ['several lines are one list', fresh(['foo', 'max-age=60']), 9, hit],
    ['empty members are none', ', ,max-age=60,,', 9, hit],
    ['a quote that never closes: validate', control('max-age=60, ext="a', tag), 1, validate],
    ['no-store behind such a quote', control('max-age=60, ext="a, no-store', tag), 1, miss],
    ['no-store behind a semicolon', 'max-age=60; no-store', 1, miss],
  ]),
  ...section('RFC 9111 5.3 Expires', [
    ...Object.entries({
      'the form of RFC 850': 'Thursday, 18-Aug-50 02:01:18 GMT',
      'the form of asctime': 'Thu Aug  8 02:01:18 2050',
      'the longest day': 'Wednesday, 18-Aug-50 02:01:18 GMT',
      'a leap second': 'Sat, 31 Dec 2050 23:59:60 GMT',
      'in any case': 'tHU, 18 aUG 2050 02:01:18 gmt',
    }).map(([name, expires]): Row => [name, { expires, ...tag }, 9, hit]),
    ...Object.entries({
      '"0" is in the past': '0',
      '"-1" is in the past': '-1',
      'an empty one is in the past': '',
      'two digits 50 years and more ahead are of the last century':
        'Friday, 18-Aug-78 02:01:18 GMT',
      'a minute that is none': 'Thu, 18 Aug 2050 02:60:18 GMT',
      'a second that is none': 'Thu, 18 Aug 2050 02:01:61 GMT',
      'a zone that is not GMT': 'Thu, 18 Aug 2050 02:01:18 AEST',
      'UTC is not GMT': 'Thu, 18 Aug 2050 02:01:18 UTC',
      'two digits of a year in the long form': 'Thu, 18 Aug 50 02:01:18 GMT',
      'an hour of one digit': 'Thu, 18 Aug 2050 2:01:18 GMT',
      'an hour that is none': 'Thu, 18 Aug 2050 24:01:18 GMT',
      'a day that is none': 'Thu, 31 Feb 2050 02:01:18 GMT',
      'no comma': 'Thu 18 Aug 2050 02:01:18 GMT',
    }).map(([name, expires]): Row => [name, { expires, ...tag }, 9, validate]),
  ]),
  ...section('RFC 9213 2.2 CDN-Cache-Control, a private cache', [
    ['means nothing', cdn('max-age=60', { 'cache-control': 'max-age=5' }), 9, miss],
    ['not even no-store', cdn('no-store', { 'cache-control': 'max-age=60' }), 9, hit],
  ]),
];
