// The time frame of the SVG waterfall: vertical grid with tick labels above and below, and the
// milestones as dashed lines. Each has a label on a line of its own, so labels never meet; milestones
// that fall on one spot share both. Differently dashed, so that they are told apart without colour.
// A line that comes down through a tick label is interrupted by it.

import type { PageLoad } from '../page-load.ts';
import { milestones } from './milestones.ts';
import type { Svg } from './svg-markup.ts';
import { element, label } from './svg-markup.ts';
import { widthOf } from './text-width.ts';
import type { TimeTick } from './time-axis.ts';
import { timeTicks } from './time-axis.ts';
import { formatMs } from './units.ts';

/** Where time is drawn, in px; `endMs` is the time at `right`. */
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
 * To be drawn after the milestones, whose lines they interrupt.
 *
 * @param end labels that would end right of it are left out, in px
 */
export function renderTickLabels(frame: TimeFrame, end: number): Svg[] {
  return ticksOf(frame).flatMap(({ atMs, label: words }) => {
    const x = xOf(frame, atMs);
    const width = widthOf(words, 10);
    // The first begins where time does: left of it are other words.
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

/** Ground behind small words from `left` on the base line `y`, where a line would run through them. */
export function plate(left: number, y: number, words: string): Svg {
  const width = widthOf(words, 10) + 4;
  return element('rect', { class: 'plate', x: left - 2, y: y - 9, width, height: 12 });
}

/** One dashed line of the picture: those milestones that fall on one spot share it, and its label. */
export interface MilestoneMark {
  x: number;
  /** Of the latest on this spot, by its place in `milestones`. */
  kind: number;
  words: string;
}

/** Nearer than this, in px, two lines are one to the eye. */
const oneSpotPx = 1;

/** The milestones the load reached, earliest first. */
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
 * Lines from the labels, `milestoneLineHeight` apart from `labelTop` down, to the frame's bottom.
 * Labels that open to the left come first, latest on top, then those to the right, earliest on
 * top: so a line starts below the labels it would otherwise run through. A label opens to the left
 * where there is no room right of it before the frame ends or another such line comes down.
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
