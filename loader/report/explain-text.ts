// Explains in terminal lines why each resource of a page was fetched or not: first what each document, style sheet and
// module names, then what was named but not fetched, by reason.
//
// Guarantee: no line is longer than `columns` (from 40 up), and the only control characters are our own colours.

import type { PageLoad, ResourceRecord, SkippedReference } from '../page-load.ts';
import { clipMiddle, printableText, shortName } from './printable.ts';
import { painter, type TerminalOptions } from './terminal.ts';
import { formatCount } from './units.ts';

/** Limit on the references listed under one reason for not being fetched; the output of `--json` has all. */
const mostOfReason = 8;

const kindWidth = 11;

/** Renders as lines, each ending with a newline, why each resource was fetched or not. */
export function renderExplanation(load: PageLoad, { columns, color }: TerminalOptions): string {
  const paint = painter(color);
  const fetched = load.resources.filter(
    ({ initiator, purpose, from }) => initiator !== null && purpose === 'use' && from !== null,
  );
  const title = (text: string, count: number) => {
    const number = ` (${formatCount(count)})`;
    return paint('bold', clipMiddle(printableText(text), columns - number.length)) + number;
  };
  const line = ({ kind, url }: { kind: string; url: string }, from: string) => {
    const room = columns - 2 - kindWidth - 1;
    const whole = shortName(url, load.url);
    const left = Math.max(Math.floor(room * 0.55), room - whole.length - 2);
    const said = clipMiddle(printableText(from), left);
    const name = clipMiddle(whole, room - said.length - 2);
    const gap = ' '.repeat(Math.max(2, room - name.length - said.length));
    return `  ${kind.padEnd(kindWidth)} ${name}${gap}${paint('dim', said)}`;
  };
  const blocks = [
    ...chains(load, fetched).map(({ way, resources }) => [
      title(`in ${way}`, resources.length),
      ...resources.map((each) =>
        line(each, each.why === null ? (each.from ?? '') : `${each.from}, ${each.why}`),
      ),
    ]),
    ...reasons(load).map(([why, references]) => {
      const more = references.length - mostOfReason;
      return [
        title(`not fetched: ${why}`, references.length),
        ...references.slice(0, mostOfReason).map((each) => line(each, each.from)),
        ...(more > 0 ? [`  and ${formatCount(more)} more`] : []),
      ];
    }),
  ];
  return blocks.map((lines) => `${lines.join('\n')}\n`).join('\n');
}

/** Groups resources by the document, style sheet or module that names them; `way`: the files from the page to it. */
function chains(
  load: PageLoad,
  fetched: readonly ResourceRecord[],
): Array<{ way: string; resources: ResourceRecord[] }> {
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
    // Every chain of files begins with the page itself, which is left out unless it is the only one.
    const names = way.slice(way.length > 1 ? 1 : 0).map((url) => shortName(url, load.url));
    return { way: names.join(' > '), resources };
  });
}

/** Groups skipped references by reason, each URL once, without URLs that were fetched for another element. */
function reasons({ resources, skipped }: PageLoad): Array<[why: string, SkippedReference[]]> {
  const fetched = new Set(resources.map(({ url }) => url));
  const missing = skipped.filter(({ url }) => !fetched.has(url));
  const once = new Map(missing.map((each) => [`${each.why} ${each.url}`, each]));
  const byReason = Map.groupBy(once.values(), ({ why }) => why);
  return [...byReason].toSorted(([, one], [, other]) => other.length - one.length);
}
