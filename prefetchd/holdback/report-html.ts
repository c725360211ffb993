// A holdback's report as one page that needs nothing else: tables, and a drawing of each difference with its interval.

import type { HoldbackReport, Measure } from './report.ts';
import {
  bytesOf,
  devicesIn,
  differenceOf,
  explanationOf,
  figureOf,
  headlineOf,
  intervalOf,
  nameOf,
  titleOf,
} from './report-words.ts';

const style = `
:root { color-scheme: light dark; --good: light-dark(#0a7d3c, #5ad18b); --bad: light-dark(#b3261e, #ff8a80);
  --line: light-dark(#d0d7de, #3a424c); --muted: light-dark(#57606a, #9aa4af); }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 56rem; margin: 3rem auto; padding: 0 1rem; }
h1 { font-size: 1.75rem; line-height: 1.25; text-wrap: balance; }
h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
p.muted, caption { color: var(--muted); }
caption { text-align: left; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: right; padding: .35rem .6rem; border-bottom: 1px solid var(--line); white-space: nowrap; }
th:first-child, td:first-child { text-align: left; }
svg { width: 10rem; height: 1.25rem; display: block; margin-left: auto; }
.good { color: var(--good); } .bad { color: var(--bad); }
`;

export function reportHtml(report: HoldbackReport): string {
  const tables = devicesIn(report.hinted).map(({ device, navigations, measures }) => {
    const { hinted, heldBack } = navigations;
    const title = titleOf({ device });
    const about = `${hinted.toLocaleString('en')} navigations with hints, ${heldBack.toLocaleString('en')} held back`;
    return `<h2>${title}</h2>
<div class="wide"><table><caption>${about}</caption>
<tr><th></th><th>hints</th><th>held back</th><th>difference</th><th>95 % interval</th><th></th></tr>
${measures.map(rowOf).join('\n')}
</table></div>`;
  });
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>What prefetch hints are worth</title><style>${style}</style>
<h1>${escaped(headlineOf(report))}</h1>
<p>${escaped(explanationOf(report))}</p>
${tables.join('\n')}
<h2>What it costs</h2>
<p>${escaped(bytesOf(report))}</p>
<p class="muted">Compared are navigations from a page to one that it hinted, with those to pages that it would have
hinted. Times are measured in the visitors’ browsers. In 95 of 100 comparisons the true difference lies within the interval.</p>
</html>
`;
}

function rowOf(measure: Measure): string {
  const cells = [
    figureOf(measure, measure.hinted),
    figureOf(measure, measure.heldBack),
    `<span class="${toneOf(measure)}">${escaped(differenceOf(measure))}</span>`,
    escaped(intervalOf(measure)),
    drawn(measure),
  ];
  return `<tr><td>${escaped(nameOf(measure))}</td>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;
}

/** An interval without zero is good or bad: instant pages should be more, times less. */
function toneOf({ of, interval, isEarly }: Measure): 'good' | 'bad' | '' {
  if (isEarly || interval === null || (interval[0] <= 0 && interval[1] >= 0)) return '';
  return interval[0] > 0 === (of === 'instant') ? 'good' : 'bad';
}

function drawn(measure: Measure): string {
  const { interval, difference, isEarly } = measure;
  if (isEarly || interval === null || difference === null) return '';
  const most = Math.max(Math.abs(interval[0]), Math.abs(interval[1])) || 1;
  const at = (value: number) => (80 + (70 * value) / most).toFixed(1);
  return `<svg viewBox="0 0 160 20" role="img" aria-label="${escaped(intervalOf(measure))}" class="${toneOf(measure)}">
<path d="M80 2V18" stroke="var(--line)" stroke-width="1.5"/><path d="M${at(interval[0])} 10H${at(interval[1])}" stroke="currentColor" stroke-width="2"/><circle cx="${at(difference)}" cy="10" r="3" fill="currentColor"/></svg>`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
