// Renders walks as a few terminal lines: a row per page for one client, a row per client for several, then savings and
// costs of prefetching in words. A table that is too wide is split into several with all rows; no figure is lost.
//
// Guarantee: no line is longer than `columns` (from 50 up), and the only control characters are our own colours.

import type { WalkPair } from '../../walk/walk-record.ts';
import { clipMiddle, inert, printableText, wrapText } from '../printable.ts';
import type { Paint, TerminalOptions } from '../terminal.ts';
import { painter } from '../terminal.ts';
import {
  type Block,
  blocksFor,
  type Column,
  clientRow,
  hasFailed,
  pageRows,
  type Row,
  sumRow,
} from './columns.ts';
import { pairTotals } from './savings.ts';
import { walkWords } from './words.ts';

/** Minimum width of row names: in a single table, and in several. */
const leastName = { one: 22, several: 10 };
const gap = '  ';

/** Renders lines, each ending with a newline. */
export function renderWalks(
  pairs: readonly WalkPair[],
  { columns, color }: TerminalOptions,
): string {
  const paint = painter(color);
  const totals = pairTotals(pairs);
  const [only] = pairs;
  const isOne = pairs.length === 1 && only !== undefined;
  const rows = isOne ? pageRows(only) : pairs.map(clientRow);
  const blocks = blocksFor(totals);
  const sheet = new Sheet(isOne ? 'page' : 'client', rows, sumRow('sum', pairs), columns);
  const lines = [
    ...(isOne && only.name ? [clipMiddle(printableText(only.name), columns), ''] : []),
    ...sheet.tablesOf(blocks).flatMap((each) => [...sheet.render(each, paint), '']),
    ...walkWords(pairs, totals).flatMap((line) => wrapText(line, columns)),
    '',
    ...legend(blocks, columns).map((line) => paint('dim', line)),
    '',
  ];
  return inert(lines.join('\n'), { color });
}

class Sheet {
  readonly #what: string;
  readonly #rows: readonly Row[];
  /** The last row, shown if there are several rows; it counts for widths in any case. */
  readonly #sum: Row;
  readonly #columns: number;

  constructor(what: string, rows: readonly Row[], sum: Row, columns: number) {
    this.#what = what;
    this.#rows = rows;
    this.#sum = sum;
    this.#columns = columns;
  }

  /** Splits the blocks into tables: one if there is room, else one per part, else as many as needed. */
  tablesOf(blocks: readonly Block[]): Block[][] {
    if (this.#roomBeside(blocks) >= this.#least(leastName.one)) return [[...blocks]];
    const tables: Block[][] = [];
    for (const block of blocks) {
      const last = tables.at(-1);
      const isOfPart = last?.[0]?.part === block.part;
      const fits =
        last !== undefined && this.#roomBeside([...last, block]) >= this.#least(leastName.several);
      if (isOfPart && fits) last.push(block);
      else tables.push([block]);
    }
    return tables;
  }

  render(blocks: readonly Block[], paint: Paint): string[] {
    const nameWidth = Math.max(4, Math.min(this.#roomBeside(blocks), this.#longestName));
    const line = (number: string, name: string, cells: readonly string[]) =>
      [
        number.padStart(this.#numberWidth),
        clipMiddle(name, nameWidth).padEnd(nameWidth),
        ...cells,
      ].join(gap);
    const cellsOf = (row: Row) =>
      blocks.flatMap((block) => {
        const widths = this.#widthsOf(block);
        return block.columns.map(({ of }, index) => of(row).padStart(widths[index] as number));
      });
    const heads = blocks.map((block) => headOf(block, this.#widthsOf(block)));
    const isGrouped = heads.some(({ above }) => above.trim() !== '');
    const above = line(
      '',
      '',
      heads.map((head) => head.above),
    ).trimEnd();
    const head = line(
      '#',
      this.#what,
      heads.flatMap(({ below }) => below),
    );
    return [
      ...(isGrouped ? [paint('bold', above)] : []),
      paint('bold', head),
      ...this.#rows.map((row, index) => {
        const text = line(String(index + 1), row.name, cellsOf(row));
        return hasFailed(row) ? paint('red', text) : text;
      }),
      ...(this.#rows.length > 1
        ? [paint('bold', line('', this.#sum.name, cellsOf(this.#sum)))]
        : []),
    ];
  }

  get #numberWidth(): number {
    return String(this.#rows.length).length;
  }

  get #longestName(): number {
    return Math.max(this.#what.length, ...this.#rows.map(({ name }) => name.length));
  }

  #least(nameWidth: number): number {
    return Math.min(nameWidth, this.#longestName);
  }

  /** Width that is left for names. */
  #roomBeside(blocks: readonly Block[]): number {
    const widths = blocks.flatMap((block) => this.#widthsOf(block));
    const taken = widths.reduce((sum, width) => sum + gap.length + width, 0);
    return this.#columns - this.#numberWidth - gap.length - taken;
  }

  #widthsOf({ name, columns }: Block): number[] {
    const widths = columns.map((column) => this.#widthOf(column));
    // The head must fit above its columns.
    const missing = name.length - widths.reduce((sum, width) => sum + width, 0);
    return widths.map((width, index) => (index === 0 ? Math.max(width, width + missing) : width));
  }

  #widthOf({ name, of }: Column): number {
    return Math.max(name.length, ...[...this.#rows, this.#sum].map((row) => of(row).length));
  }
}

/** The head of a block: a single column has the block's name; several columns have it above theirs. */
function headOf({ name, columns }: Block, widths: readonly number[]): Head {
  const span = widths.reduce((sum, width) => sum + width + gap.length, -gap.length);
  if (columns.length === 1) return { above: ' '.repeat(span), below: [name.padStart(span)] };
  const below = columns.map((column, index) => column.name.padStart(widths[index] as number));
  const lead = Math.ceil((span - name.length) / 2);
  return { above: ` ${name} `.padStart(name.length + 1 + lead, '-').padEnd(span, '-'), below };
}

interface Head {
  above: string;
  below: string[];
}

function legend(blocks: readonly Block[], columns: number): string[] {
  const has = (name: string) =>
    blocks.some((block) => block.columns.some((each) => each.name === name));
  const walks = has('with') ? ['without, with: nothing prefetched, and with prefetching'] : [];
  const [time, ...others] = blocks.map(({ name, meaning }) => `${name}: ${meaning}`);
  const saved = has('saved') ? ['saved: share of the time that prefetching saved'] : [];
  return [...walks, ...(time === undefined ? [] : [time]), ...saved, ...others].flatMap((line) =>
    wrapText(line, columns),
  );
}
