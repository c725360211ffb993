// GET /metrics: names and kinds by Prometheus convention, numbers by what was done.

import { expect, it } from 'vitest';
import { Histogram, metricText } from '../../../prefetchd/service/exposition.ts';
import { access, running, runningTaught } from './ask.ts';
import { compared } from './compared.ts';

function sample(text: string, series: string): number {
  const line = text.split('\n').find((candidate) => candidate.startsWith(`${series} `));
  return Number(line?.slice(series.length + 1));
}

it('tells what was learned, dropped, hinted and used', async () => {
  await using service = await runningTaught();
  await service.post('/v1/accesses', [
    access('one x', '/logout'),
    access('one x', '/i.png', { kind: 'object' }),
  ]);
  await service.post('/v1/hints', access('four x', '/a'));
  await service.post('/v1/accesses', access('four x', '/b', { userActivated: true }));
  const { text, headers } = await service.get('/metrics');
  expect(headers['content-type']).toMatch(/^text\/plain; version=0\.0\.4/);
  expect(sample(text, 'prefetchd_accesses_total{kind="document"}')).toBe(8);
  expect(sample(text, 'prefetchd_accesses_total{kind="object"}')).toBe(1);
  expect(sample(text, 'prefetchd_accesses_dropped_total{reason="denied"}')).toBe(1);
  expect(sample(text, 'prefetchd_hints_given_total')).toBe(1);
  expect(sample(text, 'prefetchd_hints_used_total')).toBe(1);
  expect(sample(text, 'prefetchd_hints_wasted_total')).toBe(0);
  expect(sample(text, 'prefetchd_hint_precision_ratio')).toBe(1);
  expect(sample(text, 'prefetchd_store_healthy')).toBe(1);
  expect(sample(text, 'prefetchd_tuning_threshold_ratio')).toBe(0.2);
  expect(text).toContain('process_cpu_seconds_total');
  // Counters are read, not added: a second scrape says the same.
  const again = (await service.get('/metrics')).text;
  expect(sample(again, 'prefetchd_accesses_total{kind="document"}')).toBe(8);
});

it('tells what a holdback found, once it has found anything', async () => {
  await using service = await runningTaught({ prefetchd: { holdback: 50 } });
  const early = (await service.get('/metrics')).text;
  expect(sample(early, 'prefetchd_holdback_verdict{verdict="too early"}')).toBe(1);
  expect(sample(early, 'prefetchd_holdback_uneven')).toBe(0);
  expect(early).not.toMatch(/^prefetchd_holdback_difference/m);
  await using later = await runningTaught({ prefetchd: { holdback: 50 } });
  await compared(later);
  const { text } = await later.get('/metrics');
  const bounds = (series: string) =>
    ['_low', '', '_high'].map((bound) =>
      sample(text, `prefetchd_holdback_${series.replace('difference', `difference${bound}`)}`),
    );
  expect(sample(text, 'prefetchd_holdback_verdict{verdict="faster"}')).toBe(1);
  expect(sample(text, 'prefetchd_holdback_verdict{verdict="too early"}')).toBe(0);
  for (const [series, truth] of [
    ['difference_seconds{measure="ttfb"}', -0.28],
    ['difference_seconds{measure="lcp"}', -0.28],
    ['instant_difference_ratio', 1],
  ] as const) {
    const [low = 0, difference = 0, high = 0] = bounds(series);
    expect(Math.abs(difference - truth)).toBeLessThan(0.03);
    expect([low <= difference, difference <= high]).toEqual([true, true]);
  }
});

it('durations of requests by route and status, from a tenth of a millisecond', async () => {
  await using service = await runningTaught();
  await service.get('/nowhere');
  await service.get('/nowhere/else');
  const { text } = await service.get('/metrics');
  const series = 'prefetchd_request_duration_seconds';
  expect(sample(text, `${series}_count{route="/v1/accesses",code="200"}`)).toBe(3);
  expect(sample(text, `${series}_count{route="none",code="404"}`)).toBe(2);
  expect(text).toContain(`${series}_bucket{le="0.0001",route="/v1/accesses",code="200"}`);
});

const line =
  /^[a-z_][a-z0-9_]*(\{[a-z]+="(?:[^"\\\n]|\\[\\"n])*"(?:,[a-z]+="(?:[^"\\\n]|\\[\\"n])*")*\})? (?:[+-]Inf|NaN|-?[\d.]+(?:e[+-]?\d+)?)$/;

it('the text is that of format 0.0.4: help and type once and before the samples, which are of that metric', async () => {
  await using service = await running();
  await service.get('/nowhere');
  const { text } = await service.get('/metrics');
  expect(text.endsWith('\n')).toBe(true);
  const blocks = text.trimEnd().split('\n\n');
  const types = new Map<string, string>();
  for (const block of blocks) {
    const [help = '', typed = '', ...samples] = block.split('\n');
    const [, , name = '', type = ''] = typed.split(' ');
    expect(help).toMatch(new RegExp(`^# HELP ${name} .`));
    expect(typed).toMatch(/^# TYPE [a-z_]+(?:p99_seconds)? (?:counter|gauge|histogram)$/);
    expect(types.has(name)).toBe(false);
    types.set(name, type);
    const series = type === 'histogram' ? `${name}_(?:bucket|sum|count)` : name;
    for (const sample of samples) {
      expect(sample).toMatch(line);
      expect(sample).toMatch(new RegExp(`^${series}[ {]`));
    }
    expect([name, name.endsWith('_total')]).toEqual([name, type === 'counter']);
  }
  const own = [...types.keys()].filter((name) => name.startsWith('prefetchd_'));
  expect(own.length).toBeGreaterThan(18);
});

it('labels and help are escaped; a value that is not known has no line, an endless one is Inf', () => {
  const metric = (read: () => number | Record<string, number>) =>
    metricText({ name: 'a', help: 'b\\c\n"d"', label: 'e', read });
  const head = '# HELP a b\\\\c\\n"d"\n# TYPE a gauge\n';
  expect(metric(() => ({ 'f"g\\h\n': 1 }))).toBe(`${head}a{e="f\\"g\\\\h\\n"} 1\n`);
  expect(metric(() => Number.NaN)).toBe(head);
  expect(metric(() => Number.POSITIVE_INFINITY)).toBe(`${head}a +Inf\n`);
});

it('buckets of a histogram are cumulative, a value on a bound is in its bucket, and +Inf has all', () => {
  const histogram = new Histogram('t', 'times', [1, 2]);
  for (const value of [1, 1.5, 9]) histogram.observe({ route: '/' }, value);
  expect(histogram.text().split('\n').slice(2)).toEqual([
    't_bucket{le="1",route="/"} 1',
    't_bucket{le="2",route="/"} 2',
    't_bucket{le="+Inf",route="/"} 3',
    't_sum{route="/"} 11.5',
    't_count{route="/"} 3',
    '',
  ]);
});

it('an answer has no client, URL or query in it', async () => {
  await using service = await running();
  await service.post('/v1/hints', access('198.51.100.7 Secret', '/private-page'));
  await service.get('/v1/hints?url=/private-page&client=198.51.100.7%20Secret');
  const { text } = await service.get('/metrics');
  expect(text).not.toMatch(/198\.51|Secret|private-page/);
});
