// Draws the picture of the graph: arcs as curves, wider for higher probability, with pages as buttons on top, so that
// the keyboard and screen readers can use it too. Choosing a page shows what follows it.

import { element, svg } from './elements.js';
import { percent, readable, shortened, visitors } from './figures.js';
import { layout } from './layout.js';

/** Character width of the fixed-width font, px. */
const characterWidth = 7.3;
const boxPadding = 24;

export class Graph {
  #host;
  #onPick;
  #view = null;
  #tuning = null;
  #width = 0;

  constructor(host, onPick) {
    this.#host = host;
    this.#onPick = onPick;
    new ResizeObserver(([entry]) => {
      const width = Math.floor(entry.contentRect.width);
      if (width === this.#width || width === 0) return;
      this.#width = width;
      if (this.#view !== null) this.#draw();
    }).observe(host);
  }

  /** Shows a page. @param tuning threshold and limit: what is above the threshold is hinted now */
  show(view, tuning) {
    this.#view = view;
    this.#tuning = tuning;
    this.#width ||= Math.floor(this.#host.clientWidth);
    if (this.#width > 0) this.#draw();
  }

  #draw() {
    const drawn = layout(this.#view, this.#width);
    const focused = this.#host.contains(document.activeElement)
      ? document.activeElement.dataset.url
      : null;
    const lines = svg(
      'svg',
      {
        width: drawn.width,
        height: drawn.height,
        viewBox: `0 0 ${drawn.width} ${drawn.height}`,
        'aria-hidden': 'true',
      },
      ...drawn.edges.map((edge) => line(edge, drawn, this.#isHinted(edge))).filter(Boolean),
    );
    this.#host.replaceChildren(lines, ...drawn.nodes.map((node) => this.#box(node, drawn)));
    this.#host.style.height = `${drawn.height}px`;
    if (focused !== null) {
      [...this.#host.querySelectorAll('button')]
        .find((box) => box.dataset.url === focused)
        ?.focus();
    }
  }

  /** Returns whether a page that follows with this probability is hinted now. */
  #isHinted({ probability }) {
    return this.#tuning === null || probability > this.#tuning.threshold;
  }

  /** Returns the pages after the chosen page that are hinted now, at most as many as the limit. */
  #hintedNow(nodes) {
    const above = nodes.filter((node) => node.level === 1 && this.#isHinted(node));
    return above.slice(0, this.#tuning?.limit ?? above.length);
  }

  #box(node, { nodes }) {
    const { url, level, probability, clients, x, y, width, height } = node;
    const most = Math.floor((width - boxPadding) / characterWidth);
    const after = level === 2 ? nodes[node.parent].url : null;
    const facts = [
      level === 0 ? 'this page' : percent(probability, 0),
      visitors(clients),
      this.#hintedNow(nodes).includes(node) ? 'hinted now' : '',
    ].filter((text) => text !== '');
    const box = element(
      'button',
      {
        type: 'button',
        class: `box level-${level}${level > 0 && !this.#isHinted(node) ? ' below' : ''}`,
        title: url,
        'data-url': url,
        'aria-current': level === 0 ? 'true' : null,
        'aria-label': [readable(url), ...facts, after === null ? '' : `after ${readable(after)}`]
          .filter(Boolean)
          .join(', '),
        onclick: () => this.#onPick(url),
      },
      element('span', { class: 'url' }, shortened(readable(url), most)),
      element('span', { class: 'facts' }, facts.join(' · ')),
    );
    if (level > 0) {
      const bar = element('span', { class: 'probability', 'aria-hidden': 'true' });
      bar.style.width = `${probability * 100}%`;
      box.append(bar);
    }
    Object.assign(box.style, {
      left: `${x}px`,
      top: `${y}px`,
      width: `${width}px`,
      height: `${height}px`,
    });
    return box;
  }
}

function line({ from, to, probability, isBack }, { nodes, isNarrow }, isHinted) {
  const name = isHinted ? 'arc' : 'arc below';
  const [start, end] = [nodes[from], nodes[to]];
  const width = (1 + 5 * probability).toFixed(1);
  if (isNarrow) {
    // A tree shows each page only below the first page it follows.
    if (end.parent !== from) return null;
    const x = start.x + 10;
    const y = end.y + end.height / 2;
    return svg('path', {
      class: name,
      d: `M${x} ${start.y + start.height}V${y}H${end.x}`,
      'stroke-width': 1.5,
    });
  }
  const y0 = start.y + start.height / 2;
  const y1 = end.y + end.height / 2;
  const x0 = start.x + start.width;
  if (isBack) {
    // An arc back to the chosen page would pass under everything and is left out; one to a page in the same layer
    // goes round the right side.
    if (end.level !== start.level) return null;
    const bend = x0 + 18 + Math.abs(y1 - y0) * 0.12;
    return svg('path', {
      class: `${name} back`,
      d: `M${x0} ${y0}C${bend} ${y0} ${bend} ${y1} ${x0} ${y1}`,
      'stroke-width': 1.5,
    });
  }
  const middle = (x0 + end.x) / 2;
  return svg('path', {
    class: name,
    d: `M${x0} ${y0}C${middle} ${y0} ${middle} ${y1} ${end.x} ${y1}`,
    'stroke-width': width,
  });
}
