// The tables of options in docs/, made of the tables that check options. A table stands between
// `<!-- options: NAME -->` and `<!-- end of options -->`; what is around it is written by hand.

import type { Table } from '../../options/options.ts';
import { type JsonSchema, jsonSchemaOf } from './json-schema.ts';
import type { Comments } from './row-comments.ts';

type Row = Table[string];

export type Column = 'option' | 'limit' | 'default' | 'unit' | 'meaning' | 'range';

/** The rows of options inside options are named `batch.maxBytes`. */
export function markdownTable(
  table: Table,
  columns: readonly Column[],
  comments: Comments,
): string {
  const rows = rowsOf(table, '', comments).map((row) => columns.map((column) => row[column]));
  const rule = columns.map(() => '---');
  return [columns, rule, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

type Cells = Record<Column, string>;

function rowsOf(table: Table, place: string, comments: Comments): Cells[] {
  return Object.entries(table).flatMap(([name, kind]) => {
    const full = place + name;
    const inside = sectionOf(kind);
    const meaning = comments(full);
    const isOnlySection = inside !== null && meaning === '';
    const own = isOnlySection ? [] : [rowOf(full, kind, meaning)];
    return inside === null ? own : [...own, ...rowsOf(inside, `${full}.`, comments)];
  });
}

/** The table inside an option that is shown option by option: batch, prefetch; not `{ extra, allow }`. */
function sectionOf({ rows }: Row): Table | null {
  const isShown = Object.values(rows ?? {}).some(({ byDefault }) => byDefault);
  return rows !== undefined && isShown ? rows : null;
}

function rowOf(name: string, kind: Row, meaning: string): Cells {
  const said = jsonSchemaOf(kind);
  return {
    option: `\`${name}\``,
    limit: `\`${name}\``,
    default: kind.shownDefault ?? shownDefault(kind),
    unit: unitOf(name),
    meaning: meaning.replaceAll('|', '\\|'),
    range: rangeOf(said, unitOf(name)),
  };
}

function shownDefault({ byDefault }: Row): string {
  if (byDefault === undefined) return 'none';
  return `\`${typeof byDefault === 'number' ? grouped(byDefault) : JSON.stringify(byDefault)}\``;
}

function unitOf(name: string): string {
  return name.endsWith('Ms')
    ? 'ms'
    : name.endsWith('Bytes')
      ? 'bytes'
      : name.endsWith('Seconds')
        ? 's'
        : '';
}

/** `1 to 64, null`; '' where the meaning names the values. */
function rangeOf(schema: JsonSchema, unit: string): string {
  const kinds = schema.anyOf ?? [schema];
  const number = kinds.find(({ type }) =>
    [type].flat().some((each) => /number|integer/.test(each ?? '')),
  );
  if (number === undefined || number.enum !== undefined) return '';
  const { minimum, maximum, exclusiveMinimum } = number;
  const isWhole = [number.type].flat().includes('integer');
  const bounds =
    exclusiveMinimum !== undefined
      ? `above ${grouped(exclusiveMinimum)}`
      : maximum === undefined
        ? `from ${grouped(minimum ?? 0)}`
        : `${grouped(minimum ?? 0)} to ${grouped(maximum)}`;
  const parts = [bounds];
  if (!isWhole && unit !== 'ms') parts.push('may have a fraction');
  if (kinds.some((kind) => kind.const === Number.POSITIVE_INFINITY)) parts.push('Infinity');
  if (kinds.some(({ type }) => [type].flat().includes('null'))) parts.push('null');
  return parts.join(', ');
}

function grouped(value: number): string {
  return Number.isInteger(value) ? value.toLocaleString('en-US') : String(value);
}

/** A document with its tables as they should be. */
export function withTables(
  page: string,
  tables: Readonly<Record<string, string>>,
  of = 'options',
): string {
  const found = new Set<string>();
  const written = page.replace(
    new RegExp(`(<!-- ${of}: ([\\w ]+) -->\\n)[\\s\\S]*?(<!-- end of ${of} -->)`, 'g'),
    (_, begin: string, name: string, end: string) => {
      found.add(name);
      const table = tables[name];
      if (table === undefined) throw new Error(`there is no table of ${name}`);
      return `${begin}\n${table}\n\n${end}`;
    },
  );
  for (const name of Object.keys(tables)) {
    if (!found.has(name)) throw new Error(`no place for the table of ${name}`);
  }
  return written;
}
