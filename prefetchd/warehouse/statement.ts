// Writes the SQL statement by which a data warehouse learns what the predictor double-graph learns
// (model/predictors/double-graph.ts), from a table with a row for each access that may be learned. One text serves all
// SQL dialects; `dialects` has what they write differently. The result has a row for each URL, then one for each arc,
// the strongest first, of equals the latest (result-rows.ts).
//
//   next  A page follows each of the w - 1 pages before it, back to where it was itself opened last. A pause of 30
//         minutes, a page opened from elsewhere and the end of a day end the walk.
//   part  An object belongs to the page before it, if it is among the first w - 1 objects and had not come yet.
//
// An occurrence of an arc counts half for each half-life from its first access to the latest of the table. The visitors
// of an arc are those of the 30 days with the most, as in a service. Literals such as 1e0 are no exact decimals in any
// dialect. The subqueries are named `dg_...`, because in ClickHouse one hides a table of its name.

import { oneOf, text } from '../../options/kinds.ts';
import {
  checked,
  type OptionsOf,
  objectOf,
  option,
  optionWithoutDefault,
  required,
} from '../../options/options.ts';
import { type CheckedOptions, prefetchdDefaults } from '../engine/prefetchd-options.ts';
import { invalidOption } from '../errors.ts';
import { objectPattern } from '../rules/access-kind.ts';

/** For each dialect: the quote around names, and the SQL for a timestamp in ms since the epoch and for a text match. */
const dialects = {
  duckdb: ['"', 'epoch_ms(TIME)', 'regexp_matches(TEXT, PATTERN)'],
  clickhouse: ['`', 'toUnixTimestamp64Milli(toDateTime64(TIME, 3))', 'match(TEXT, PATTERN)'],
  bigquery: ['`', 'UNIX_MILLIS(CAST(TIME AS TIMESTAMP))', 'REGEXP_CONTAINS(TEXT, PATTERN)'],
  spark: ['`', 'unix_millis(CAST(TIME AS TIMESTAMP))', 'TEXT RLIKE PATTERN'],
} as const;

const dialectNames = Object.keys(dialects) as (keyof typeof dialects)[];

/** The name of a table or a column, which stands between quotes. */
const name = text({
  rule: 'a name without quotes, backslashes and control characters',
  pattern: /^[^"`\\\p{C}.]{1,128}(?:\.[^"`\\\p{C}.]{1,128})*$/u,
});
const column = (flag: string, help: string) => optionWithoutDefault(name, { flag, help });

export const statementTable = {
  dialect: required(oneOf(dialectNames), { flag: '--dialect <name>', help: 'dialect of SQL' }),
  table: required(name, { flag: '--table <name>', help: 'table or view, such as web.visits' }),
  client: option(name, 'client', {
    flag: '--client <column>',
    help: 'whose accesses follow each other',
  }),
  time: option(name, 'time', {
    flag: '--time <column>',
    help: 'a timestamp, or NAME:s, :ms, :us, :ns since the epoch',
  }),
  url: option(name, 'url', { flag: '--url <column>', help: 'path and query' }),
  visitor: column(
    '--visitor <column>',
    'by which visitors are counted, as the address (the client)',
  ),
  kind: column('--kind <column>', 'document or object (by the extension of the URL)'),
  entry: column('--entry <column>', 'true for a page opened from elsewhere (none is)'),
  order: column('--order <column>', 'order of accesses, as a line number (time, then URL)'),
};

export type StatementOptions = OptionsOf<typeof statementTable>;

const units: Readonly<Record<string, string>> = { s: '1e3', ms: '1e0', us: '1e-3', ns: '1e-6' };

/** Returns the SQL statement whose result is the learned graph. @throws PrefetchdError `invalid-option` */
export function learningStatement(
  options: StatementOptions,
  { window: w, halfLifeMs }: Pick<CheckedOptions, 'window' | 'halfLifeMs'>,
): string {
  const given = checked(objectOf(statementTable), options, invalidOption);
  const { dialect, table, client, url, visitor = client, kind, entry, order } = given;
  const [quote, ms, match] = dialects[dialect];
  const whole = dialect === 'bigquery' ? 'INT64' : 'BIGINT';
  const named = (path: string) => quote + path.split('.').join(`${quote}.${quote}`) + quote;
  const column = (name: string) => `log.${named(name)}`;
  const [, timeColumn = '', unit] = /^(.*?)(?::(s|ms|us|ns))?$/s.exec(given.time) ?? [];
  const time = column(timeColumn);
  const t = unit ? `CAST(floor(${time} * ${units[unit]}) AS ${whole})` : ms.replace('TIME', time);
  const isObject = match
    .replace('TEXT', `lower(${column(url)})`)
    .replace('PATTERN', `'${objectPattern}'`);
  const opens = kind === undefined ? `NOT ${isObject}` : `${column(kind)} = 'document'`;
  const isEntry = entry === undefined ? '1 = 0' : `CAST(${column(entry)} AS BOOLEAN)`;
  const each = (piece: (back: number) => string, between: string) =>
    Array.from({ length: w - 1 }, (_, at) => piece(at + 1)).join(between);
  const inOrder = (...of: string[]) =>
    `OVER (PARTITION BY ${['client', 'day', ...of].join(', ')} ORDER BY place${order === undefined ? ', url' : ''})`;
  const soFar = inOrder().replace(')', ' ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)');
  const isPause = `abs(t - lag(t) ${inOrder()}) > ${prefetchdDefaults.idleGapMs}`;
  const weight =
    halfLifeMs === null ? '1e0' : `pow(2e0, (since - last_t) / ${halfLifeMs.toExponential()})`;
  const month = `floor((t - first_t) / ${prefetchdDefaults.fingerprintLifeMs.toExponential()})`;
  return `-- What double-graph learns from accesses with w ${w}, for prefetchd import.
WITH dg_accesses AS (
  SELECT ${column(client)} AS client, ${column(visitor)} AS visitor, ${column(url)} AS url, ${t} AS t,
    ${order === undefined ? t : column(order)} AS place, CASE WHEN ${isEntry} THEN 1 ELSE 0 END AS is_entry,
    CASE WHEN ${opens} THEN 1 ELSE 0 END AS opens
  FROM ${named(table)} AS log
),
-- A URL is a page if a fifth of its accesses open it; those of the other kind do not count.
dg_judged AS (
  SELECT *, ${kind === undefined ? 'opens' : 'CASE WHEN sum(5 * opens - 1) OVER (PARTITION BY url) > 0 THEN 1 ELSE 0 END'} AS is_page
  FROM dg_accesses
),
dg_span AS (SELECT min(t) AS first_t, max(t) AS last_t FROM dg_accesses),
dg_timed AS (
  SELECT client, visitor, url, t, place, is_entry, is_page, CAST(floor((t - first_t) / 8.64e7) AS ${whole}) AS day
  FROM dg_judged CROSS JOIN dg_span WHERE is_page = opens
),
dg_opened AS (
  SELECT *, CASE WHEN is_entry = 1 OR ${isPause} THEN 1 ELSE 0 END AS begins FROM dg_timed WHERE is_page = 1
),
dg_visits AS (SELECT *, sum(begins) ${soFar} AS visit FROM dg_opened),
dg_steps AS (
  SELECT visitor, url, t, place, row_number() ${inOrder('visit')} AS step,
    ${each((n) => `lag(url, ${n}) ${inOrder('visit')} AS url${n}, lag(t, ${n}) ${inOrder('visit')} AS t${n}`, ',\n    ')}
  FROM dg_visits
),
dg_requested AS (SELECT *, CASE WHEN is_page = 1 OR ${isPause} THEN 1 ELSE 0 END AS begins FROM dg_timed),
dg_views AS (SELECT *, sum(begins) ${soFar} AS look FROM dg_requested),
dg_parts AS (
  SELECT visitor, url, t, place, is_page, first_value(url) ${inOrder('look')} AS page,
    first_value(t) ${inOrder('look')} AS page_t, first_value(is_page) ${inOrder('look')} AS has_page,
    row_number() ${inOrder('look')} AS step, row_number() ${inOrder('look', 'url')} AS turn
  FROM dg_views
),
dg_found AS (
  SELECT CASE WHEN is_page = 1 THEN 'page' ELSE 'object' END AS what, url AS source, url AS target, visitor, t,
    place, t AS since, 0 AS is_next
  FROM dg_timed
  UNION ALL
  SELECT 'next', CASE ${each((n) => `WHEN back = ${n} THEN url${n}`, ' ')} END, url, visitor, t, place,
    CASE ${each((n) => `WHEN back = ${n} THEN t${n}`, ' ')} END, CASE WHEN back = 1 THEN 1 ELSE 0 END
  FROM dg_steps CROSS JOIN (${each((n) => `SELECT ${n} AS back`, ' UNION ALL ')}) AS backs
  WHERE step > back AND ${each((n) => `(back < ${n} OR url <> url${n})`, ' AND ')}
  UNION ALL
  SELECT 'part', page, url, visitor, t, place, page_t, 0
  FROM dg_parts WHERE is_page = 0 AND has_page = 1 AND turn = 1 AND step <= ${w}
),
dg_months AS (
  SELECT what, source, target, ${month} AS month, sum(${weight}) AS weight,
    count(DISTINCT visitor) AS people, max(is_next) AS was_next, max(place) AS latest
  FROM dg_found CROSS JOIN dg_span GROUP BY what, source, target, ${month}
)
SELECT what, source, target, sum(weight) AS count, max(people) AS visitors, max(was_next) AS direct
FROM dg_months GROUP BY what, source, target
ORDER BY CASE WHEN what IN ('page', 'object') THEN 0 ELSE 1 END, 4 DESC, max(latest) DESC, 2, 3
`;
}
