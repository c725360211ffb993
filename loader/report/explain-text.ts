// Explains in terminal lines why each resource of a page was fetched or not: first what each document, style sheet and
// module names, then what was named but not fetched, by reason.
//
// Guarantee: no line is longer than `columns` (from 40 up), and the only control characters are our own colours.

import type { PageLoad, ResourceRecord, SkippedReference } from '../page-load.ts';
import { clipMiddle, printableText, shortName } from './printable.ts';
import { type Paint, painter, type TerminalOptions } from './terminal.ts';
import { formatCount } from './units.ts';

/** Most references shown for one reason; the record in JSON has all. */
const mostOfReason = 8;

/** Renders lines, each ending with a newline. */
export function renderExplanation(load: PageLoad, { columns, color }: TerminalOptions): string {
  const paint = painter(color);
  const line = new ResourceLine(load, columns, paint);
  const fetched = load.resources.filter(
    ({ initiator, purpose, from }) => initiator !== null && purpose === 'use' && from !== null,
  );
  const blocks = [
    ...chains(load, fetched).map(({ title, resources }) => [
      line.title(title, resources.length),
      ...resources.map((each) => line.fetched(each)),
    ]),
    ...reasons(notFetched(load)).map(({ why, references }) => [
      line.title(`not fetched: ${why}`, references.length),
      ...references.slice(0, mostOfReason).map((each) => line.skipped(each)),
      ...(references.length > mostOfReason ? [line.more(references.length - mostOfReason)] : []),
    ]),
  ];
  return blocks.map((lines) => `${lines.join('\n')}\n`).join('\n');
}

/** One entry for each document, style sheet and module that names resources, with the path to it from the page. */
function chains(
  load: PageLoad,
  fetched: readonly ResourceRecord[],
): Array<{ title: string; resources: ResourceRecord[] }> {
  const byInitiator = Map.groupBy(fetched, ({ initiator }) => initiator ?? '');
  const nearest = new Map(fetched.toReversed().map(({ url, initiator }) => [url, initiator ?? '']));
  return [...byInitiator].map(([initiator, resources]) => {
    const way = [initiator];
    for (
      let at = nearest.get(initiator);
      at !== undefined && !way.includes(at);
      at = nearest.get(at)
    ) {
      way.unshift(at);
    }
    // The page itself begins every path, so it is left out unless it is the only step.
    const names = way.slice(way.length > 1 ? 1 : 0).map((url) => shortName(url, load.url));
    return { title: `in ${names.join(' > ')}`, resources };
  });
}

/** The skipped references whose URL was not fetched for another element. */
function notFetched({ resources, skipped }: PageLoad): SkippedReference[] {
  const fetched = new Set(resources.map(({ url }) => url));
  return skipped.filter(({ url }) => !fetched.has(url));
}

function reasons(
  skipped: readonly SkippedReference[],
): Array<{ why: string; references: SkippedReference[] }> {
  const once = new Map(skipped.map((each) => [`${each.why} ${each.url}`, each]));
  const byReason = Map.groupBy(once.values(), ({ why }) => why);
  return [...byReason]
    .map(([why, references]) => ({ why, references }))
    .toSorted((a, b) => b.references.length - a.references.length);
}

const kindWidth = 11;

class ResourceLine {
  readonly #load: PageLoad;
  readonly #columns: number;
  readonly #paint: Paint;

  constructor(load: PageLoad, columns: number, paint: Paint) {
    this.#load = load;
    this.#columns = columns;
    this.#paint = paint;
  }

  title(text: string, count: number): string {
    const number = ` (${formatCount(count)})`;
    const room = this.#columns - number.length;
    return this.#paint('bold', clipMiddle(printableText(text), room)) + number;
  }

  fetched({ url, kind, from, why }: ResourceRecord): string {
    return this.#row(kind, url, why === null ? (from ?? '') : `${from}, ${why}`);
  }

  skipped({ url, kind, from }: SkippedReference): string {
    return this.#row(kind, url, from);
  }

  more(count: number): string {
    return `  and ${formatCount(count)} more`;
  }

  #row(kind: string, url: string, from: string): string {
    const room = this.#columns - 2 - kindWidth - 1;
    const whole = shortName(url, this.#load.url);
    const left = Math.max(Math.floor(room * 0.55), room - whole.length - 2);
    const said = clipMiddle(printableText(from), left);
    const name = clipMiddle(whole, room - said.length - 2);
    const gap = ' '.repeat(Math.max(2, room - name.length - said.length));
    return `  ${kind.padEnd(kindWidth)} ${name}${gap}${this.#paint('dim', said)}`;
  }
}
