// The paper's figures 2, 3 and 5 to 8, drawn anew from what was measured.

import { toSvg } from '../prefetchd/charts/svg.ts';
import type { DrawnChart } from '../result.ts';
import { spreadOf } from '../spread.ts';
import { imageSizes, type Latency, savedShares } from './latency.ts';
import type { Throughput } from './throughput.ts';

type Spec = Parameters<typeof toSvg>[0];

interface Curves {
  title: string;
  subtitle: string;
  x: { title: string; isLogarithmic?: true };
  y: string;
  series: string;
  rows: Array<{ x: number; y: number; series: string }>;
}

const colors = ['#1b9e77', '#d95f02', '#7570b3', '#e7298a', '#3b6fd0', '#5e8c00'];

function spec({ title, subtitle, x, y, series, rows }: Curves): Spec {
  const names = [...new Set(rows.map((row) => row.series))];
  return {
    $schema: 'https://vega.github.io/schema/vega-lite/v6.json',
    title: { text: title, subtitle, anchor: 'start', subtitleColor: '#555' },
    background: 'white',
    width: 560,
    height: 320,
    config: {
      font: 'sans-serif',
      axis: { labelFontSize: 12, titleFontSize: 13 },
      legend: { labelLimit: 0 },
    },
    data: { values: rows },
    mark: { type: 'line', point: { filled: true, size: 40 } },
    encoding: {
      x: {
        ...{ field: 'x', type: 'quantitative', title: x.title },
        ...(x.isLogarithmic && { scale: { type: 'log' } }),
      },
      y: { field: 'y', type: 'quantitative', title: y },
      color: {
        ...{ field: 'series', type: 'nominal', title: series, sort: names },
        scale: { domain: names, range: colors.slice(0, names.length) },
      },
    },
  };
}

async function drawn(file: string, alt: string, curves: Curves): Promise<DrawnChart> {
  return { file, alt, svg: await toSvg(spec(curves)) };
}

export function throughputChart(
  figure: 2 | 3,
  where: string,
  all: readonly Throughput[],
): Promise<DrawnChart> {
  const name = figure === 2 ? 'remote' : 'local';
  const alt = `throughput by the length of a connection, ${where}, a curve for each window`;
  return drawn(`figure-${figure}-throughput-${name}.svg`, alt, {
    title: `Throughput by connection length (figure ${figure})`,
    subtitle: `${where}; median of the rounds`,
    x: { title: 'length of the connection, bytes', isLogarithmic: true },
    y: 'throughput, kB/s',
    series: 'window',
    rows: all.map(({ window, bytes, kBPerS }) => ({
      ...{ x: bytes, series: window },
      y: spreadOf(kBPerS).median,
    })),
  });
}

export function latencyChart(
  figure: 5 | 6,
  imageBytes: number,
  where: string,
  all: readonly Latency[],
): Promise<DrawnChart> {
  const name = figure === 5 ? 'small' : 'large';
  const alt = `time to load a document by its number of images of ${imageBytes} bytes, ${where}, a curve for each way`;
  return drawn(`figure-${figure}-latency-${name}-images.svg`, alt, {
    title: `Latency, images of ${imageBytes} bytes (figure ${figure})`,
    subtitle: `${where}; median of the rounds`,
    x: { title: 'images' },
    y: 'complete, s',
    series: 'way',
    rows: all
      .filter((one) => one.imageBytes === imageBytes)
      .map(({ images, way, ms }) => ({ x: images, y: spreadOf(ms).median / 1000, series: way })),
  });
}

export function savedChart(
  figure: 7 | 8,
  where: string,
  all: readonly Latency[],
): Promise<DrawnChart> {
  const name = figure === 7 ? 'remote' : 'local';
  const alt = `share of the time that one pipelined connection saves, by the number of images, ${where}, a curve for each size`;
  const pages = all.filter(({ way }) => way === 'pipelined');
  return drawn(`figure-${figure}-saved-${name}.svg`, alt, {
    title: `Latency saved by pipelining over standard HTTP/1.0 (figure ${figure})`,
    subtitle: `${where}; median of the rounds`,
    x: { title: 'images' },
    y: 'saved, %',
    series: 'bytes of an image',
    rows: imageSizes.flatMap((size) =>
      pages
        .filter(({ imageBytes }) => imageBytes === size)
        .map((page) => ({
          ...{ x: page.images, series: String(size) },
          y: 100 * spreadOf(savedShares(all, page, 'pipelined')).median,
        })),
    ),
  });
}
