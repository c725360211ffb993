// The time frame of the SVG waterfall: vertical grid with tick labels above and below, and the
// milestones as dashed lines, each labelled on a line of its own so that labels never meet however
// close the moments lie. Differently dashed, so that they are told apart without colour.

import type { PageLoad } from '../page-load.ts';
import { milestones } from './milestones.ts';
import type { Svg } from './svg-markup.ts';
import { element, label } from './svg-markup.ts';
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

/** To be drawn after the milestones, whose lines they cover. */
export function renderTickLabels(frame: TimeFrame): Svg[] {
  return ticksOf(frame).flatMap(({ atMs, label: words }) => {
    const x = xOf(frame, atMs);
    if (x + words.length * 3 > frame.right + 12) return [];
    const attributes = { class: `small num muted halo${atMs === 0 ? '' : ' mid'}` };
    return [
      label(x, frame.top - 5, attributes, words),
      label(x, frame.bottom + 13, attributes, words),
    ];
  });
}

/** Where the lines of the milestones stand, in px from left to right. */
export function milestoneXs(load: PageLoad, frame: TimeFrame): number[] {
  return milestones
    .flatMap(({ key }) => load.timing[key] ?? [])
    .map((ms) => xOf(frame, ms))
    .sort((a, b) => a - b);
}

/** How many lines of labels `renderMilestones` writes. */
export function milestoneLines(load: PageLoad): number {
  return milestones.filter(({ key }) => load.timing[key] !== null).length;
}

/**
 * Lines from the labels, `milestoneLineHeight` apart from `labelTop` down, to the frame's bottom.
 * Labels that open to the left come first, latest on top, then those to the right, earliest on
 * top: so a line starts below the labels it would otherwise run through.
 */
export function renderMilestones(load: PageLoad, frame: TimeFrame, labelTop: number): Svg[] {
  const marks = milestones.flatMap(({ key, name }, kind) => {
    const ms = load.timing[key];
    if (ms === null) return [];
    const words = `${name} ${formatMs(ms)}`;
    const x = xOf(frame, ms);
    const toLeft = x + labelGap + words.length * 6 > frame.right;
    return [{ kind, x, words, toLeft }];
  });
  const before = marks.filter(({ toLeft }) => toLeft).sort((a, b) => b.x - a.x || b.kind - a.kind);
  const after = marks.filter(({ toLeft }) => !toLeft).sort((a, b) => a.x - b.x || a.kind - b.kind);
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
        { class: `halo num t${kind}${toLeft ? ' end' : ''}` },
        words,
      ),
    ),
  ];
}

function ticksOf({ left, right, endMs }: TimeFrame): TimeTick[] {
  return timeTicks(endMs, (right - left) / 65);
}
