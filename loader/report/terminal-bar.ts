// Draws time in character cells: the bar of a resource, the axis above the bars, the milestones below. Each phase has
// its own character, so colour is never required.
//
// Invariant: a phase covers every cell it touches, and a later phase overrides an earlier one, so phases stay in
// order and every response shows at least one cell.

import type { PageLoad, ResourceRecord } from '../page-load.ts';
import { milestones, type Phase, type PhaseSpan } from './phases.ts';
import type { Paint, Style } from './terminal.ts';
import { timeTicks } from './units.ts';

interface Glyph {
  character: string;
  style: Style;
  meaning: string;
}

const connecting: Glyph = { character: '-', style: 'yellow', meaning: 'connecting' };

export const phaseGlyphs: Record<Phase, Glyph> = {
  queued: { character: '\u00b7', style: 'gray', meaning: 'queued' },
  lookup: connecting,
  connect: connecting,
  secure: { character: '=', style: 'yellow', meaning: 'TLS handshake' },
  lost: { character: '~', style: 'gray', meaning: 'lost, sent again' },
  waiting: { character: '\u2591', style: 'cyan', meaning: 'sent, waiting for the first byte' },
  receiving: { character: '\u2588', style: 'green', meaning: 'receiving' },
  cache: { character: '\u2592', style: 'magenta', meaning: 'from cache' },
};

export const errorGlyph: Glyph = { character: 'x', style: ['bold', 'red'], meaning: 'failed' };

/** All characters that a bar may have, each once, with colour and meaning. */
export const glyphs: readonly Glyph[] = [...new Set(Object.values(phaseGlyphs)), errorGlyph];

const styles = new Map(glyphs.map(({ character, style }) => [character, style]));

/** Minimum number of cells that an axis label takes, including its mark and the blanks after it. */
const leastTickCells = 5;

/** A scale of `cells` columns for the time from 0 to `endMs`. */
export interface BarScale {
  cells: number;
  endMs: number;
}

/** Renders the bar of a resource without trailing blanks; an error is shown in its last cell. */
export function renderBar(
  resource: ResourceRecord,
  spans: PhaseSpan[],
  scale: BarScale,
  paint: Paint,
): string {
  const cells: string[] = new Array(scale.cells).fill(' ');
  let last = cellAt(resource.startMs, scale);
  for (const { phase, startMs, endMs } of spans) {
    const first = cellAt(startMs, scale);
    last = Math.max(first, Math.ceil((endMs / scale.endMs) * scale.cells) - 1);
    cells.fill(phaseGlyphs[phase].character, first, last + 1);
  }
  if (resource.error !== null) cells[last] = errorGlyph.character;
  const bar = cells.slice(0, last + 1).join('');
  return bar.replace(/([^ ])\1*/g, (run, character) => paint(styles.get(character) ?? [], run));
}

/**
 * Renders as many tick labels as fit with at least two cells between them, each starting at its time. A last label that
 * does not fit is left out.
 */
export function renderAxis(scale: BarScale): string {
  for (let count = Math.ceil(scale.cells / leastTickCells); count > 1; count--) {
    const line = axisOf(count, scale);
    if (line !== null) return line;
  }
  return '|0'.slice(0, scale.cells);
}

/** Renders the axis with about this many ticks; null: two labels would touch. */
function axisOf(count: number, scale: BarScale): string | null {
  const ticks = timeTicks(scale.endMs, count);
  let line = '';
  for (const [i, { atMs, label }] of ticks.entries()) {
    const at = cellAt(atMs, scale);
    const meets = line !== '' && at < line.length + 2;
    if (at + 1 + label.length <= scale.cells && !meets) line = `${line.padEnd(at)}|${label}`;
    else if (meets || i < ticks.length - 1) return null;
  }
  return line;
}

/** Renders the letters of the milestones at their times; where several share a cell, the earlier ones move left. */
export function renderMilestones(load: PageLoad, scale: BarScale): string {
  const marks = milestones
    .flatMap(({ key, letter }) => {
      const ms = load.timing[key];
      return ms === null ? [] : [{ ms, letter, at: cellAt(ms, scale) }];
    })
    .sort((a, b) => a.ms - b.ms);
  let free = scale.cells - 1;
  for (const mark of marks.toReversed()) {
    mark.at = Math.min(mark.at, free);
    free = mark.at - 1;
  }
  let line = '';
  for (const { at, letter } of marks) line = `${line.padEnd(Math.max(0, at))}${letter}`;
  return line.slice(0, scale.cells);
}

function cellAt(ms: number, { cells, endMs }: BarScale): number {
  return Math.max(0, Math.min(cells - 1, Math.floor((ms / endMs) * cells)));
}
