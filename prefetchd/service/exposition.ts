// Writes metrics in the text format of Prometheus, version 0.0.4: for each a line of help, one of its type and a line
// for each sample; labels and help are escaped. Values are read when the text is written, and a value that is not known
// yet (NaN) has no line. A histogram keeps its own counts and sums.

export const contentType = 'text/plain; version=0.0.4; charset=utf-8';

export interface Metric {
  /** Name with its unit; that of a counter ends in `_total`. */
  name: string;
  help: string;
  /** Label of the samples; its values are the keys of the object that `read` returns. */
  label?: string;
  read(): number | Readonly<Record<string, number | undefined>>;
}

type MetricLabels = Readonly<Record<string, string>>;

const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '"': '\\"', '\n': '\\n' };
const escaped = (text: string, special: RegExp) => text.replace(special, (it) => `${escapes[it]}`);

function head(name: string, help: string, type: string): string {
  return `# HELP ${name} ${escaped(help, /[\\\n]/g)}\n# TYPE ${name} ${type}\n`;
}

function sample(name: string, labels: MetricLabels, value: number): string {
  if (Number.isNaN(value)) return '';
  const pairs = Object.entries(labels).map(([key, of]) => `${key}="${escaped(of, /[\\"\n]/g)}"`);
  const shown = Number.isFinite(value) ? value : value > 0 ? '+Inf' : '-Inf';
  return `${name}${pairs.length === 0 ? '' : `{${pairs}}`} ${shown}\n`;
}

export function metricText({ name, help, label, read }: Metric): string {
  const value = read();
  const type = name.endsWith('_total') ? 'counter' : 'gauge';
  const samples =
    typeof value === 'number'
      ? [sample(name, {}, value)]
      : Object.entries(value).map(([of, count = 0]) => sample(name, { [`${label}`]: of }, count));
  return head(name, help, type) + samples.join('');
}

interface MetricSeries {
  labels: MetricLabels;
  /** For each bound, the number of values up to it that exceed the bound before it; last, that of all larger values. */
  counts: number[];
  sum: number;
}

/** Counts how many values are within each bound, for each combination of labels. */
export class Histogram {
  readonly #name: string;
  readonly #help: string;
  readonly #bounds: readonly number[];
  readonly #series = new Map<string, MetricSeries>();

  /** @param bounds Upper bounds of the histogram's buckets, ascending */
  constructor(name: string, help: string, bounds: readonly number[]) {
    this.#name = name;
    this.#help = help;
    this.#bounds = [...bounds, Number.POSITIVE_INFINITY];
  }

  observe(labels: MetricLabels, value: number): void {
    const key = Object.values(labels).join('\n');
    const series = this.#series.get(key) ?? { labels, counts: this.#bounds.map(() => 0), sum: 0 };
    const place = this.#bounds.findIndex((bound) => value <= bound);
    series.counts[place] = (series.counts[place] as number) + 1;
    series.sum += value;
    this.#series.set(key, series);
  }

  text(): string {
    const all = [...this.#series.values()].map((series) => this.#seriesText(series));
    return head(this.#name, this.#help, 'histogram') + all.join('');
  }

  #seriesText({ labels, counts, sum }: MetricSeries): string {
    let count = 0;
    const buckets = this.#bounds.map((bound, at) => {
      count += counts[at] as number;
      const le = bound === Number.POSITIVE_INFINITY ? '+Inf' : String(bound);
      return sample(`${this.#name}_bucket`, { le, ...labels }, count);
    });
    const total = sample(`${this.#name}_count`, labels, count);
    return buckets.join('') + sample(`${this.#name}_sum`, labels, sum) + total;
  }
}
