// Chooses the page to show: from the list of the most requested pages, by its path, or in the picture.

import { get } from './api.js';
import { byId, element, setText } from './elements.js';
import { compact, percent, readable, visitors } from './figures.js';
import { Graph } from './graph.js';

export class Pages {
  #graph;
  #picked = null;
  /** True if a person chose the page, false if it was the first of the list. */
  #isChosen = false;
  /** Automatically chosen pages that turned out to have no followers. */
  #barren = new Set();
  #drawn = '';
  #list = '';
  #onProblem;
  #minClients = 3;
  #tuning = null;

  constructor(onProblem) {
    this.#onProblem = onProblem;
    this.#graph = new Graph(byId('graph'), (url) => this.pick(url));
    byId('look-up').addEventListener('submit', (event) => {
      event.preventDefault();
      const path = byId('look-up-url').value.trim();
      if (path !== '')
        this.pick(path.startsWith('/') || /^https?:/i.test(path) ? path : `/${path}`);
    });
  }

  pick(url) {
    this.#isChosen = true;
    this.#pickNow(url);
  }

  #pickNow(url) {
    this.#picked = url;
    for (const button of byId('top').querySelectorAll('button')) {
      button.setAttribute('aria-pressed', String(button.dataset.url === url));
    }
    void this.refresh();
  }

  show({ pages, minClients, tuning }) {
    this.#tuning = tuning;
    const most = tuning.limit === null ? 'all' : `the ${tuning.limit} likeliest`;
    setText('graph-threshold', `${percent(tuning.threshold, 0)}, ${most} of these`);
    this.#minClients = minClients;
    const list = JSON.stringify(pages);
    if (list !== this.#list) {
      this.#list = list;
      this.#showList(pages);
    }
    byId('top-empty').hidden = pages.length > 0;
    setText(
      'top-empty',
      `No page yet from which ${minClients === 1 ? 'a visitor' : `${minClients} visitors`} followed the same link.`,
    );
    const first = pages.find(({ url }) => !this.#barren.has(url))?.url ?? null;
    if (!this.#isChosen && first !== null && this.#picked !== first) this.#pickNow(first);
    if (this.#picked === null) setText('picture-title', '');
  }

  /** Shows what follows the chosen page now. */
  async refresh() {
    const url = this.#picked;
    if (url === null) return;
    try {
      const view = await get(`v1/pages?url=${encodeURIComponent(url)}&kind=document`);
      if (url !== this.#picked) return;
      if (!this.#isChosen && view.arcs.length === 0) this.#barren.add(url);
      const drawing = JSON.stringify([view, this.#tuning]);
      if (drawing === this.#drawn) return;
      this.#drawn = drawing;
      setText('picture-title', titleOf(view, this.#minClients));
      this.#graph.show(view, this.#tuning);
    } catch (error) {
      if (url === this.#picked) this.#onProblem(error);
    }
  }

  #showList(pages) {
    const most = Math.max(...pages.map(({ accesses }) => accesses));
    const focused = document.activeElement?.dataset?.url;
    const rows = pages.map(({ url, accesses }) => {
      const bar = element('span', { class: 'bar', 'aria-hidden': 'true' });
      bar.style.width = `${(accesses / most) * 100}%`;
      const button = element(
        'button',
        {
          type: 'button',
          'data-url': url,
          title: url,
          'aria-pressed': String(url === this.#picked),
          onclick: () => this.pick(url),
        },
        element('span', { class: 'url' }, readable(url)),
        element('span', { class: 'number' }, compact(accesses)),
        bar,
      );
      return element('li', {}, button);
    });
    const hadFocus = byId('top').contains(document.activeElement);
    byId('top').replaceChildren(...rows);
    if (hadFocus)
      [...byId('top').querySelectorAll('button')].find((b) => b.dataset.url === focused)?.focus();
  }
}

function titleOf({ url, accesses, arcs }, k) {
  const name = readable(url);
  const times = accesses === null ? '' : `, visited about ${compact(accesses)} times`;
  if (arcs.length === 0)
    return `After ${name}${times}: nothing yet that ${k === 1 ? 'a visitor' : `${k} visitors`} opened next`;
  const [best] = arcs;
  const by = visitors(best.clients);
  return `After ${name}${times}: mostly ${readable(best.url)}${by === '' ? '' : ` (${by})`}`;
}
