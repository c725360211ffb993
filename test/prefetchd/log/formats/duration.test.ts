// How long a request took, in each way that a log writes it. Wrong units would be worse than none.

import { describe, expect, it } from 'vitest';
import { formatByName } from '../../../../prefetchd/log/formats/index.ts';
import { durationOf } from '../../../../prefetchd/log/formats/log-time.ts';
import type { LogFormat, LogLine } from '../../../../prefetchd/log/index.ts';

const combined = formatByName('combined') as LogFormat;

function durationBehind(fields: string): number | undefined {
  const line = `192.0.2.1 - - [31/Jan/2024:10:00:00 +0000] "GET / HTTP/1.1" 200 5 "-" "Firefox"`;
  const parsed = combined.createParser().parse(`${line}${fields}`);
  return (parsed as LogLine).durationMs;
}

describe('behind a combined line', () => {
  it.each([
    ['nginx $request_time', ' 0.004', 4],
    ['with other fields', ' "203.0.113.4" 12.345 "-" .', 12_345],
    ['quoted', ' "0.120"', 120],
    ['named', ' rt=1.500', 1500],
    ['named and quoted', ' request_time="1.500"', 1500],
    ['$upstream_response_time is a part of $request_time', ' 0.010 0.254', 254],
    ['in any order', ' rt=0.254 urt=0.010', 254],
    ['Apache: microseconds by name', ' duration_us=95000000', 95_000],
    ['Apache: milliseconds by name', ' duration_ms=310', 310],
    ['Apache: seconds by name', ' duration_s=3', 3000],
    ['beside what is no time', ' "-" duration_us=2500 dest="document" type="text/html"', 2.5],
  ])('%s:%s', (_, fields, ms) => expect(durationBehind(fields)).toBe(ms));

  it.each([
    ['none', ''],
    ['a whole number may be %D, %T, %I or %O', ' 310'],
    ['$msec, a moment', ' 1706695200.123'],
    ['$gzip_ratio has two decimals', ' "3.42"'],
    ['addresses', ' "203.0.113.4, 10.0.0.123" 10.0.0.123'],
    ['upstream alone, by its name', ' urt=0.010'],
    ['inside another field', ' "a 0.0044 b"'],
  ])('nothing where it is not certain: %s', (_, fields) => {
    expect(durationBehind(fields)).toBeUndefined();
  });
});

describe('units', () => {
  it.each([
    ['0.0009', 1000, 0.9],
    ['1e-05', 1000, 0.01],
    ['132', 1, 132],
    ['310', 1e-3, 0.31],
    ['0.001 0.010 0.001', 1000, 12],
    ['4.2ms', 1000, 4.2],
    ['310µs', 1000, 0.31],
    ['1m2.5s', 1, 62_500],
    ['1h', 1, 3_600_000],
    ['15ns', 1, 0.000015],
  ])('%s in units of %s ms is %s ms', (text, unitMs, ms) => {
    expect(durationOf(text, unitMs)).toBe(ms);
  });

  it.each(['', '-1', '-', 'x', '1,5', '1e9', '86401', '1 -1', 's', '-1s', '1d', '25h'])(
    'nothing below zero, above a day, or that is no number: %j',
    (text) => expect(durationOf(text, 1000)).toBeUndefined(),
  );
});

function parserOf(format: string) {
  return (formatByName(format) as LogFormat).createParser();
}

describe('HAProxy', () => {
  const read = (rest: string, parser = parserOf('haproxy')) =>
    parser.parse(`192.0.2.1:33317 [31/Jan/2024:10:00:00.655] ${rest}`);

  it.each([
    ['without captured headers', 'www web/a 10/0/30/69/109 200 2750 - - ---- 1/1/1/1/0 0/0', 109],
    ['logged early', 'www web/a 10/0/30/69/+109 200 +2750 - - ---- 1/1/1/1/0 0/0 {} {}', undefined],
    ['over TLS', 'www~ web/a 0/0/0/1/2 200 2750 - id=5 --NI 1/1/0/0/0 0/0 {x|y}', 2],
  ])('%s', (_, rest, durationMs) => {
    expect(read(`${rest} "GET /a#22b HTTP/1.1"`)).toMatchObject({
      address: '192.0.2.1',
      timeMs: Date.UTC(2024, 0, 31, 10, 0, 0, 655),
      status: 200,
      bytes: 2750,
      url: '/a%22b',
      userAgent: undefined,
      durationMs,
    });
  });

  it('a captured slot keeps its meaning, also where it is empty or odd', () => {
    const parser = parserOf('haproxy');
    const start = 'www web/a 0/0/0/1/2 200 1 - - ---- 1/1/0/0/0 0/0';
    const line = (captured: string) => read(`${start} {${captured}} "GET / HTTP/2.0"`, parser);
    expect(line('|')).toMatchObject({ userAgent: undefined, referer: undefined });
    const both = { userAgent: 'curl/8.5.0', referer: 'https://h/x.css' };
    expect(line('curl/8.5.0|https://h/x.css')).toMatchObject(both);
    expect(line('|android-app:x')).toMatchObject({ userAgent: '', referer: 'android-app:x' });
  });

  it('a broken request asks for nothing, and a handshake that failed is no access', () => {
    const broken = 'www www/<NOSRV> -1/-1/-1/-1/5 400 187 - - CR-- 1/1/0/0/0 0/0 "<BADREQ>"';
    expect(read(broken)).toMatchObject({ status: 400, url: '' });
    expect(read('www/1: SSL handshake failure')).toBeUndefined();
  });
});

describe('the other formats', () => {
  it('Traefik behind a trusted proxy names the visitor first', () => {
    const line =
      '192.0.2.1, 10.0.0.1 - - [31/Jan/2024:10:00:00 +0000] "GET /?q=1 HTTP/2.0" 200 5 "-" "-" 7 "-" "-" 4ms';
    const read = { address: '192.0.2.1', url: '/?q=1', userAgent: '', durationMs: 4 };
    expect(combined.createParser().parse(line)).toMatchObject(read);
    const json = parserOf('traefik-json');
    const kept = { ClientAddr: '[::1]:9', DownstreamStatus: 200, RequestPath: '/' };
    const timed = { ...kept, StartUTC: '2024-01-31T10:00:00Z' };
    expect(json.parse(JSON.stringify(timed))).toMatchObject({
      address: '::1',
      userAgent: undefined,
    });
    expect(json.parse('{"level":"info","msg":"Configuration loaded"}')).toBeUndefined();
  });

  it.each([
    [{ request_time: '0.012' }, 12],
    [{ duration_us: 12_000 }, 12],
    [{ duration_s: '3' }, 3000],
    [{ duration: 12, upstream_response_time: '0.010' }, undefined],
  ])('JSON by nginx and Apache, where a name tells the unit: %j', (fields, durationMs) => {
    const time = '2024-01-31T10:00:00+0000';
    const line = { remote_addr: 'a', time, request: 'GET /', status: 200, ...fields };
    const read = parserOf('nginx-json').parse(JSON.stringify(line));
    expect(read).toMatchObject({ durationMs });
  });

  it('Caddy with durations as text, and W3C with seconds', () => {
    const request = { client_ip: '192.0.2.1', method: 'GET', uri: '/' };
    const line = { ts: 1706695200, request, status: 200, duration: '4.2ms' };
    const caddy = parserOf('caddy-json').parse(JSON.stringify(line));
    expect(caddy).toMatchObject({ durationMs: 4.2 });
    const w3c = parserOf('w3c');
    w3c.parse('#Fields: date time c-ip cs-method cs-uri-stem sc-status time-taken');
    const read = w3c.parse('2024-01-31 10:00:00 192.0.2.1 GET / 200 0.25');
    expect(read).toMatchObject({ durationMs: 250 });
  });
});
