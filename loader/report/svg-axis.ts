// The time frame of the SVG waterfall: a vertical grid with tick labels, and the milestones as dashed lines.
// Milestones at the same position share a line and a label; otherwise each label has its own text line, so labels
// never overlap. Dash patterns distinguish the lines without colour. Tick labels interrupt the lines that cross
// them.

import type { PageLoad } from '../page-load.ts';
import { milestones } from './milestones.ts';
import { element, label, type Svg } from './svg-markup.ts';
import { widthOf } from './text-width.ts';
import { formatMs, type TimeTick, timeTicks } from './units.ts';

/** The area of the time axis, px; `endMs` is the time at `right`. */
export interface TimeFrame {
  left: number;
  right: number;
  top: number;
  bottom: number;
  endMs: number;
}

export const milestoneLineHeight = 15;

const labelGap = 5;
const leastTickPx = 58;

export function xOf(frame: Pick<TimeFrame, 'left' | 'right' | 'endMs'>, ms: number): number {
  const share = Math.max(0, Math.min(1, ms / frame.endMs));
  return frame.left + share * (frame.right - frame.left);
}

export function renderGrid(frame: TimeFrame): Svg[] {
  const { top, bottom } = frame;
  return ticksOf(frame).map(({ atMs }) => {
    const x = xOf(frame, atMs);
    return element('line', { class: 'grid', x1: x, x2: x, y1: top, y2: bottom });
  });
}

/**
 * Draws the tick labels, after the milestones, whose lines they interrupt.
 * @param end Labels that would extend beyond this position are left out, px.
 */
export function renderTickLabels(frame: TimeFrame, end: number): Svg[] {
  return ticksOf(frame).flatMap(({ atMs, label: words }) => {
    const x = xOf(frame, atMs);
    const width = widthOf(words, 10);
    // The first label starts at 0, because other text is to its left.
    const left = atMs === 0 ? x : x - width / 2;
    if (left + width > end) return [];
    const attributes = { class: `small num muted${atMs === 0 ? '' : ' mid'}` };
    const y = frame.top - 5;
    return [
      plate(left, y, words),
      label(x, y, attributes, words),
      label(x, frame.bottom + 13, attributes, words),
    ];
  });
}

/** A background for small text at `left` on the baseline `y`, where a line would cross it. */
export function plate(left: number, y: number, words: string): Svg {
  const width = widthOf(words, 10) + 4;
  return element('rect', { class: 'plate', x: left - 2, y: y - 9, width, height: 12 });
}

/** A dashed line. Milestones at the same position share it and its label. */
export interface MilestoneMark {
  x: number;
  /** Index in `milestones` of the latest one at this position. */
  kind: number;
  words: string;
}

/** Lines closer than this, in px, are drawn as one. */
const oneSpotPx = 1;

/** The milestones that the load reached, earliest first. */
export function milestoneMarks(
  load: PageLoad,
  across: Pick<TimeFrame, 'left' | 'right' | 'endMs'>,
): MilestoneMark[] {
  const reached = milestones
    .flatMap(({ key, name }, kind) => {
      const ms = load.timing[key];
      return ms === null ? [] : [{ kind, x: xOf(across, ms), name, time: formatMs(ms) }];
    })
    .sort((a, b) => a.x - b.x || a.kind - b.kind);
  const marks: MilestoneMark[] = [];
  for (const { kind, x, name, time } of reached) {
    const last = marks.at(-1);
    if (last === undefined || x - last.x > oneSpotPx) {
      marks.push({ kind, x, words: `${name} ${time}` });
    } else {
      const before = last.words.endsWith(` ${time}`)
        ? last.words.slice(0, -time.length - 1)
        : last.words;
      Object.assign(last, { kind, x, words: `${before}, ${name} ${time}` });
    }
  }
  return marks;
}

/**
 * Draws the lines from their labels, which are `milestoneLineHeight` apart from `labelTop` down, to the bottom of
 * the frame. Labels to the left of their line come first, latest on top, then those to the right, earliest on top,
 * so that a line starts below the labels it would cross. A label goes to the left if the frame or another such line
 * leaves no room on the right.
 */
export function renderMilestones(
  marks: readonly MilestoneMark[],
  frame: TimeFrame,
  labelTop: number,
): Svg[] {
  let roomEnd = frame.right;
  const latestFirst = marks.toReversed().map((mark) => {
    const toLeft = mark.x + 2 * labelGap + widthOf(mark.words, 11) > roomEnd;
    if (toLeft) roomEnd = mark.x;
    return { ...mark, toLeft };
  });
  const before = latestFirst.filter(({ toLeft }) => toLeft);
  const after = latestFirst.filter(({ toLeft }) => !toLeft).reverse();
  const placed = [...before, ...after].map((mark, i) => ({
    ...mark,
    y: labelTop + i * milestoneLineHeight,
  }));
  return [
    ...placed.map(({ kind, x, y }) =>
      element('line', { class: `mark m${kind}`, x1: x, x2: x, y1: y + 1, y2: frame.bottom }),
    ),
    ...placed.map(({ kind, x, y, words, toLeft }) =>
      label(
        toLeft ? x - labelGap : x + labelGap,
        y + 11,
        { class: `num t${kind}${toLeft ? ' end' : ''}` },
        words,
      ),
    ),
  ];
}

function ticksOf({ left, right, endMs }: TimeFrame): TimeTick[] {
  return timeTicks(endMs, (right - left) / leastTickPx);
}
