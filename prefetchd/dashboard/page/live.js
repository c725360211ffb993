// Lists the latest visits: when, which page, and whether it had been prefetched; never by whom.

import { byId, element } from './elements.js';
import { readable, timeOfDay } from './figures.js';

export class LatestVisits {
  #isPaused = false;
  #newest = null;
  #drawn = '';

  constructor() {
    const button = byId('pause');
    button.addEventListener('click', () => {
      this.#isPaused = !this.#isPaused;
      button.setAttribute('aria-pressed', String(this.#isPaused));
    });
  }

  show({ visits, minClients }) {
    if (this.#isPaused) return;
    const drawing = JSON.stringify(visits);
    if (drawing === this.#drawn) return;
    this.#drawn = drawing;
    const isNew = ({ timeMs }) => this.#newest !== null && timeMs > this.#newest;
    byId('visits').replaceChildren(...visits.map((visit) => row(visit, isNew(visit), minClients)));
    this.#newest = Math.max(this.#newest ?? 0, ...visits.map(({ timeMs }) => timeMs));
  }
}

/** Returns the text for a page with a hidden URL. Visitors are counted for links to or from it only. */
function unnamed(k) {
  return `hidden: no link with ${k} ${k === 1 ? 'visitor' : 'visitors'} yet`;
}

/** The label, and its CSS class, for each way in which a page came to its visitor. */
const tags = {
  none: ['', ''],
  hinted: ['hinted, not prefetched', 'hinted'],
  prefetched: ['instant', 'hit'],
  hit: ['instant', 'hit'],
};

function row({ timeMs, url, outcome }, isNew, k) {
  const [text, name] = tags[outcome];
  const shown =
    url === null
      ? element('td', { class: 'url muted' }, unnamed(k))
      : element('td', { class: 'url', title: url }, element('span', {}, readable(url)));
  return element(
    'tr',
    { class: isNew ? 'new' : null },
    element('td', { class: 'time' }, timeOfDay(timeMs)),
    shown,
    element('td', {}, text === '' ? '' : element('span', { class: `tag ${name}` }, text)),
  );
}
