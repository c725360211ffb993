// Renders a page load as a few terminal lines: final status, cost, milestones, and failures with their reasons. Every
// figure has a unit and, space permitting, an explanation; narrow terminals drop explanations, never figures. For a
// page that did not load at all, only the reason and the requests are shown.
//
// Guarantee: no line is longer than `columns` (from 20 up), and the only control characters are our own colours.

import { fieldLines, hasField } from '../../http/header-pairs.ts';
import { parseHoldLine } from '../../http/hold-line.ts';
import { htmlTypes } from '../../http/media-type.ts';
import { trueOrFalse } from '../../options/kinds.ts';
import { checked, type OptionsOf, objectOf, option } from '../../options/options.ts';
import { invalidOption } from '../errors.ts';
import type { PageLoad } from '../page-load.ts';
import { failureLines, hasFailed, messageOf, pageHops, statusOf } from './failures.ts';
import { milestones } from './phases.ts';
import { clipMiddle, inert, printableText, printableUrl, wrapText } from './printable.ts';
import { type Paint, painter, terminalTable } from './terminal.ts';
import { formatBytes, formatCount, formatMs } from './units.ts';

type SummaryRow = [label: string, value: string, meaning: string];

const summaryTable = {
  ...terminalTable,
  /** Whether the summary says why the page itself failed; false: the caller of the renderer says it. */
  pageFailure: option(trueOrFalse(), true),
};

export type SummaryOptions = OptionsOf<typeof summaryTable>;

/** Renders a page load as a few lines, each ending with a newline. @throws LoaderError `invalid-option` */
export function renderSummary(load: PageLoad, options: SummaryOptions): string {
  const given = checked(objectOf(summaryTable), options, invalidOption);
  const { columns, color, pageFailure } = given;
  const paint = painter(color);
  const page = pageHops(load).at(-1);
  const neverCame = page?.status === null && page.error !== null;
  const rows = [...costs(load), ...moments(load)].filter(
    ([label, value]) => !neverCame || (!/^(0|0 B|-)$/.test(value) && label !== 'errors'),
  );
  const reason = neverCame && pageFailure ? wrapText(messageOf(page), columns - 2) : [];
  const listed = load.resources.filter(
    (resource) => resource !== page || (pageFailure && !neverCame),
  );
  const lines = [
    ...outcome(load, columns, paint),
    ...reason.map((line) => `  ${line}`),
    ...(rows.length === 0 ? [] : ['', ...table(rows, columns, paint)]),
    ...failureLines(listed, load, columns, paint),
    '',
  ];
  return inert(lines.join('\n'), { color });
}

function outcome(load: PageLoad, columns: number, paint: Paint): string[] {
  const hops = pageHops(load);
  const page = hops.at(-1);
  const urls = [load.url, ...hops.slice(1).map((hop) => hop.url)];
  const lines = urls.map((url, i) => {
    const lead = i === 0 ? '' : '-> ';
    return lead + paint('bold', clipMiddle(printableUrl(url), columns - lead.length));
  });
  const status = page === undefined ? 'no response' : statusOf(page);
  const version = page?.httpVersion ? ` over ${page.httpVersion}` : '';
  const good = page !== undefined && !hasFailed(page);
  const rest = `${version}, protocol ${load.protocol}`;
  const shown = clipMiddle(status, Math.max(1, columns - rest.length));
  const [first = '', ...more] = wrapText(`${shown}${rest}`, columns);
  lines.push(
    paint(good ? 'green' : 'red', first.slice(0, shown.length)) + first.slice(shown.length),
  );
  const isOther = good && !htmlTypes.has(page.mimeType);
  const other = isOther
    ? `${printableText(page.mimeType)}, not HTML: nothing that it names is fetched`
    : '';
  return [...lines, ...more, ...wrapText(other, columns)];
}

function costs(load: PageLoad): SummaryRow[] {
  const { resources, totals } = load;
  const perBatch =
    totals.batches > 0 ? `; ${totals.requestsPerBatch.toFixed(1)} requests a write` : '';
  const unused =
    totals.unusedPartBytes > 0 ? `; ${formatBytes(totals.unusedPartBytes)} not used` : '';
  const again = resources.reduce((sum, { attempts }) => sum + Math.max(0, attempts - 1), 0);
  const lost = resources.flatMap(({ lostAttempts }) => lostAttempts);
  const inDoubt = lost.filter(({ code }) => code === 'out-of-step').length;
  const doubts = inDoubt > 0 ? `, of ${formatCount(inDoubt)} (out-of-step)` : '';
  const odd = resources.filter(({ quirks }) => quirks.length > 0);
  const kindsOfOdd = [...new Set(odd.flatMap(({ quirks }) => quirks))].join('; ');
  const ifAny = (label: string, count: number, meaning: string): SummaryRow[] =>
    count === 0 ? [] : [[label, formatCount(count), meaning]];
  return [
    [
      'requests',
      formatCount(totals.requests),
      `sent; ${formatCount(totals.responses)} answered whole`,
    ],
    ...ifAny('sent again', again, `the connection ended, or the response was in doubt${doubts}`),
    ['connections', formatCount(totals.connections), 'used'],
    ...heldLines(load),
    ['batches', formatCount(totals.batches), `writes of requests${perBatch}`],
    [
      'transferred',
      formatBytes(totals.transferBytes),
      'headers and bodies as they came (1 kB = 1000 B)',
    ],
    ['decoded', formatBytes(totals.bodyBytes), 'bodies after content decoding'],
    ...ifAny('parts', totals.parts, `came in the page's response (Get-All)${unused}`),
    ...ifAny('not modified', totals.notModified, '304 responses: the stored copy is valid'),
    ...ifAny('from cache', totals.fromCache, 'bodies taken from the cache'),
    ...ifAny('quirks', odd.length, `used all the same: ${kindsOfOdd}`),
    ['errors', formatCount(totals.errors), 'resources that failed'],
  ];
}

/** Returns the row about connections kept open because requests had the field Hold-Line; [] if none had it. */
function heldLines({ resources }: PageLoad): SummaryRow[] {
  const asking = resources.filter(({ requestHeaders }) => hasField(requestHeaders, 'hold-line'));
  if (asking.length === 0) return [];
  const times = new Map<number | null, number | null>();
  for (const { connection, responseHeaders } of asking) {
    const [time] = fieldLines(responseHeaders, 'hold-line').map(parseHoldLine);
    if (time !== undefined) times.set(connection, time);
  }
  const said = [...new Set(times.values())].filter((seconds) => seconds !== null);
  const long = said.length === 0 ? 'idle' : `idle for ${said.join(' or ')} s`;
  return [['held', formatCount(times.size), `of these the server holds ${long} (Hold-Line)`]];
}

function moments({ timing }: PageLoad): SummaryRow[] {
  const { redirectMs } = timing;
  const rows = milestones.map(
    ({ key, name, explanation }): SummaryRow => [name, formatMs(timing[key]), explanation],
  );
  if (redirectMs === null) return rows;
  return [['redirects', formatMs(redirectMs), 'until the end of the last one'], ...rows];
}

function table(rows: SummaryRow[], columns: number, paint: Paint): string[] {
  const valueWidth = Math.max(...rows.map(([, value]) => value.length));
  const longest = Math.max(...rows.map(([label]) => label.length));
  const labelWidth = Math.min(longest, columns - valueWidth - 1);
  const gapWidth = Math.min(2, columns - labelWidth - valueWidth);
  const room = columns - labelWidth - valueWidth - 4;
  return rows.map(([label, value, meaning]) => {
    const tail = meaning.length <= room ? `  ${paint('dim', meaning)}` : '';
    const shown = label.slice(0, labelWidth);
    const gap = ' '.repeat(labelWidth - shown.length + gapWidth + valueWidth - value.length);
    const bad = label === 'errors' && value !== '0';
    return `${shown}${gap}${paint(bad ? ['bold', 'red'] : 'bold', value)}${tail}`;
  });
}
