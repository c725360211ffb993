// Draws a small chart: bars over time, with a text alternative.

import { element, svg } from './elements.js';
import { compact, duration } from './figures.js';

const barsHeight = 44;
const slots = 60;
const unit = 10;

/** Draws bars. @param rows lists of equal length, stacked; @param classes CSS classes, one per row; @param intervalMs
 *  time of one bar */
export function bars(host, rows, classes, label, intervalMs) {
  const sums = rows[0].map((_, at) => rows.reduce((sum, row) => sum + row[at], 0));
  const most = Math.max(1, ...sums);
  const shapes = [];
  const shift = slots - sums.length;
  for (let at = 0; at < sums.length; at++) {
    let top = barsHeight;
    for (const [index, row] of rows.entries()) {
      const height = (row[at] / most) * (barsHeight - 2);
      if (height === 0) continue;
      top -= height;
      const place = {
        x: (shift + at) * unit + 1,
        y: top.toFixed(2),
        width: unit - 2,
        height: Math.max(0.8, height).toFixed(2),
      };
      shapes.push(svg('rect', { class: classes[index], ...place }));
    }
  }
  const drawing = svg(
    'svg',
    {
      class: 'bars-chart',
      viewBox: `0 0 ${slots * unit} ${barsHeight}`,
      preserveAspectRatio: 'none',
      role: 'img',
      'aria-label': label,
    },
    svg('line', { class: 'base', x1: 0, x2: slots * unit, y1: barsHeight, y2: barsHeight }),
    ...shapes,
  );
  const scale = element(
    'span',
    { class: 'scale', 'aria-hidden': 'true' },
    Math.max(...sums, 0) === 0 ? '' : compact(most),
  );
  const axis = element(
    'span',
    { class: 'time-axis', 'aria-hidden': 'true' },
    element('span', {}, `${duration(slots * intervalMs)} ago`),
    element('span', {}, 'now'),
  );
  host.replaceChildren(drawing, scale, axis);
}
