// Renders the waterfall for a terminal: one line per resource in order of discovery, with its description, cost, lane
// (connection, position on it, batch) and a bar over time. One table defines each column's title, meaning and minimum
// terminal width, and also generates the legend, which therefore explains exactly what is shown.
//
// Guarantee: no line is longer than `columns` (from 20 up), and the only control characters are our own colours.

import type { PageLoad, ResourceKind, ResourceRecord } from '../page-load.ts';
import { hasFailed } from './failures.ts';
import { drawnPhases, lastMs, milestones, type PhaseSpan } from './phases.ts';
import { clipMiddle, inert, shortName, wrapText } from './printable.ts';
import { type Paint, painter, type TerminalOptions, terminalOptions } from './terminal.ts';
import {
  errorGlyph,
  glyphs,
  phaseGlyphs,
  renderAxis,
  renderBar,
  renderMilestones,
} from './terminal-bar.ts';
import { formatBytes, formatMs } from './units.ts';

interface WaterfallColumn {
  title: string;
  /** What the column shows; absent if the title says it. */
  meaning?: string;
  /** Minimum width of a terminal that shows the column, characters. */
  fromColumns: number;
  isLeft?: boolean;
  cell: (resource: ResourceRecord) => string;
}

const kindNames: Record<ResourceKind, string> = {
  document: 'html',
  stylesheet: 'css',
  script: 'js',
  image: 'img',
  font: 'font',
  media: 'av',
  track: 'vtt',
  fetch: 'data',
  icon: 'icon',
  manifest: 'app',
  other: '-',
};

const columnTable: WaterfallColumn[] = [
  { title: 'kind', fromColumns: 76, isLeft: true, cell: ({ kind }) => kindNames[kind] },
  { title: 'code', meaning: 'HTTP status', fromColumns: 0, isLeft: true, cell: statusCell },
  {
    title: 'size',
    meaning: 'header and body as they came (1 kB = 1000 B)',
    fromColumns: 60,
    cell: ({ transferBytes }) => formatBytes(transferBytes),
  },
  {
    title: 'conn',
    meaning: 'connection',
    fromColumns: 68,
    cell: ({ connection }) => String(connection ?? '-'),
  },
  {
    title: 'nth',
    meaning: 'place on it, from 0',
    fromColumns: 68,
    cell: ({ pipelineIndex }) => String(pipelineIndex ?? '-'),
  },
  {
    title: 'batch',
    meaning: 'the write it left in (part: in the response of the page)',
    fromColumns: 76,
    cell: ({ batch, partOf }) => (partOf !== null ? 'part' : String(batch ?? '-')),
  },
  {
    title: 'end',
    meaning: 'last byte, from navigation start',
    fromColumns: 100,
    cell: ({ responseEndMs }) => formatMs(responseEndMs),
  },
];

/** Renders lines, each ending with a newline: a header, one per resource, the milestones, and the legend. */
export function renderWaterfall(load: PageLoad, options: TerminalOptions): string {
  const { columns, color } = terminalOptions(options);
  const { resources } = load;
  const paint = painter(color);
  const phases = drawnPhases(load);
  const shown = columnTable.filter(({ fromColumns }) => columns >= fromColumns);
  const names = resources.map(({ url }) => shortName(url, load.url));
  const rows = resources.map((resource) => shown.map(({ cell }) => cell(resource)));
  const titles = shown.map(({ title }) => title);
  const widths = titles.map((_, i) => widest([titles, ...rows].map((cells) => cells[i] ?? '')));

  const room = columns - widths.reduce((sum, width) => sum + width + 1, 1);
  const nameLimit = Math.max(4, Math.min(40, Math.floor(room * 0.38)));
  const nameWidth = Math.min(nameLimit, widest(['name', ...names]));
  const scale = { cells: Math.max(1, room - nameWidth), endMs: lastMs(load, phases) || 1 };

  const line = (name: string, cells: string[]) =>
    [
      clipMiddle(name, nameWidth).padEnd(nameWidth),
      ...cells.map((cell, i) =>
        shown[i]?.isLeft ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0),
      ),
    ].join(' ');
  const letters = renderMilestones(load, scale);
  const moments = milestones
    .filter(({ key }) => load.timing[key] !== null)
    .map(({ key, letter, name }) => `${letter} ${name} ${formatMs(load.timing[key])}`);
  const meanings = shown.flatMap(({ title, meaning }) => (meaning ? [`${title}: ${meaning}`] : []));
  const lines = [
    `${paint('bold', line('name', titles))} ${paint('dim', renderAxis(scale))}`,
    ...resources.map((resource, i) => {
      const text = line(names[i] ?? '', rows[i] ?? []);
      const bar = renderBar(resource, phases[i] ?? [], scale, paint);
      return `${hasFailed(resource) ? paint('red', text) : text} ${bar}`;
    }),
    ...(letters === '' ? [] : [' '.repeat(columns - scale.cells) + paint('bold', letters)]),
    '',
    ...glyphLegend(load, phases, columns, paint),
    ...flow(moments, columns),
    ...flow(meanings, columns),
    '',
  ];
  return inert(lines.join('\n'), { color });
}

function statusCell({ status, error, fromCache }: ResourceRecord): string {
  if (status !== null) return String(status);
  return error !== null ? 'err' : fromCache ? 'hit' : '-';
}

function glyphLegend(
  load: PageLoad,
  phases: PhaseSpan[][],
  columns: number,
  paint: Paint,
): string[] {
  const used = new Set(phases.flat().map(({ phase }) => phaseGlyphs[phase]));
  if (load.resources.some(({ error }) => error !== null)) used.add(errorGlyph);
  const shown = glyphs.filter((glyph) => used.has(glyph));
  const entries = shown.map(({ character, meaning }) => `${character} ${meaning}`);
  // Colours are added after the layout, because escapes have no width.
  return flow(entries, columns).map((text) =>
    shown.reduce((line, { character, style, meaning }) => {
      return line.replace(`${character} ${meaning}`, `${paint(style, character)} ${meaning}`);
    }, text),
  );
}

/** Places entries three spaces apart, as many per line as fit; an entry longer than a line is wrapped. */
function flow(entries: string[], columns: number): string[] {
  const lines: string[] = [];
  for (const entry of entries.flatMap((text) => wrapText(text, columns))) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 3 + entry.length <= columns) {
      lines[lines.length - 1] = `${last}   ${entry}`;
    } else {
      lines.push(entry);
    }
  }
  return lines;
}

function widest(texts: string[]): number {
  return texts.reduce((width, text) => Math.max(width, text.length), 0);
}
