// The time frame of the SVG waterfall: vertical grid with tick labels above and below, and the
// milestones as dashed lines, each labelled on a line of its own so that labels never meet however
// close the moments lie. Differently dashed, so that they are told apart without colour.
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

export function xOf(frame: TimeFrame, ms: number): number {
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

/** How many lines of labels `renderMilestones` writes. */
export function milestoneLines(load: PageLoad): number {
  return milestones.filter(({ key }) => load.timing[key] !== null).length;
}

/**
 * Lines from the labels, `milestoneLineHeight` apart from `labelTop` down, to the frame's bottom.
 * Labels that open to the left come first, latest on top, then those to the right, earliest on
 * top: so a line starts below the labels it would otherwise run through. A label opens to the left
 * where there is no room right of it before the frame ends or another such line comes down.
 */
export function renderMilestones(load: PageLoad, frame: TimeFrame, labelTop: number): Svg[] {
  let roomEnd = frame.right;
  const marks = milestones
    .flatMap(({ key, name }, kind) => {
      const ms = load.timing[key];
      if (ms === null) return [];
      return [{ kind, x: xOf(frame, ms), words: `${name} ${formatMs(ms)}` }];
    })
    .sort((a, b) => b.x - a.x || b.kind - a.kind)
    .map((mark) => {
      const toLeft = mark.x + 2 * labelGap + widthOf(mark.words, 11) > roomEnd;
      if (toLeft) roomEnd = mark.x;
      return { ...mark, toLeft };
    });
  const before = marks.filter(({ toLeft }) => toLeft);
  const after = marks.filter(({ toLeft }) => !toLeft).reverse();
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
