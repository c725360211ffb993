// Small charts: bars over time, and hits against extra traffic. Each has a text alternative.

import { element, svg } from './elements.js';
import { compact, duration, percent } from './figures.js';

const barsHeight = 44;
const slots = 60;
const unit = 10;

/** @param rows lists of equal length, stacked; @param classes one per row; @param intervalMs of one bar */
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

const size = { width: 300, height: 150, left: 46, right: 10, top: 10, bottom: 24 };

/** @param points [{x, y}] along p; @param marks [{x, y, name}], both as ratios */
export function tradeOff(host, points, marks, label) {
  const { width, height, left, right, top, bottom } = size;
  const all = [...points, ...marks];
  const mostX = niceAbove(Math.max(0.01, ...all.map(({ x }) => x)));
  const mostY = niceAbove(Math.max(0.01, ...all.map(({ y }) => y)));
  const px = (x) => left + (x / mostX) * (width - left - right);
  const py = (y) => height - bottom - (y / mostY) * (height - top - bottom);
  const path = points
    .map(({ x, y }, at) => `${at === 0 ? 'M' : 'L'}${px(x).toFixed(1)} ${py(y).toFixed(1)}`)
    .join('');
  const text = (x, y, anchor, content) => svg('text', { x, y, 'text-anchor': anchor }, content);
  host.replaceChildren(
    svg(
      'svg',
      { class: 'trade-off', viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': label },
      ...[0, 0.5, 1].map((part) =>
        svg('line', {
          class: 'grid',
          x1: left,
          x2: width - right,
          y1: py(mostY * part),
          y2: py(mostY * part),
        }),
      ),
      text(left - 6, py(mostY) + 4, 'end', percent(mostY, 0)),
      text(left - 6, py(0), 'end', '0'),
      text(left, height - 7, 'middle', '0'),
      text(width - right, height - 7, 'end', `+${percent(mostX, 0)} requests`),
      svg('path', { class: 'curve', d: path }),
      ...marks.map(({ x, y, name }) =>
        svg('circle', { class: name, cx: px(x), cy: py(y), r: name === 'tried' ? 5 : 6 }),
      ),
    ),
  );
}

/** 1, 2 or 5 times a power of ten, not below the value. */
function niceAbove(value) {
  const power = 10 ** Math.floor(Math.log10(value));
  return power * ([1, 2, 5, 10].find((step) => step * power >= value * 0.9999) ?? 10);
}
