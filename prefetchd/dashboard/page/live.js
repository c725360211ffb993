// The last accesses: when, what, how many hints it got, and whether a hint had named it; never by whom.

import { byId, element, setText } from './elements.js';
import { none, readable, timeOfDay } from './figures.js';

export class LiveAccesses {
  #isPaused = false;
  #newest = null;
  #drawn = '';
  #overview = null;

  constructor() {
    const button = byId('pause');
    button.addEventListener('click', () => {
      this.#isPaused = !this.#isPaused;
      button.setAttribute('aria-pressed', String(this.#isPaused));
    });
    byId('live-pages-only').addEventListener('change', () => {
      this.#drawn = '';
      if (this.#overview !== null) this.show(this.#overview);
    });
  }

  /** @param overview `noted`: number of accesses so far; `accesses`: the latest, `visits`: those of pages */
  show(overview) {
    if (this.#isPaused) return;
    this.#overview = overview;
    const { noted, minClients } = overview;
    const accesses = byId('live-pages-only').checked ? overview.visits : overview.accesses;
    const drawing = JSON.stringify([noted, accesses]);
    if (drawing === this.#drawn) return;
    this.#drawn = drawing;
    const isNew = (access) => this.#newest !== null && access.timeMs > this.#newest;
    byId('accesses').replaceChildren(
      ...accesses.map((access) => row(access, isNew(access), minClients)),
    );
    this.#newest = Math.max(this.#newest ?? 0, ...accesses.map(({ timeMs }) => timeMs));
    if (accesses.length === 0) setText('accesses', '');
  }
}

/** Visitors are counted for each link to it and from it, not for the URL. */
function unnamed(k) {
  return `hidden: no link with ${k} ${k === 1 ? 'visitor' : 'visitors'} yet`;
}

/** What each tag means. */
const tags = {
  hinted: 'A hint had named it, but it was not prefetched',
  prefetched: 'Shown from a prefetch that no hint had asked for',
  hit: 'Shown from a prefetch that a hint had asked for',
};

function tag(outcome) {
  if (tags[outcome] === undefined) return '';
  return element('span', { class: `tag ${outcome}`, title: tags[outcome] }, outcome);
}

function row({ timeMs, url, kind, hints, outcome }, isNew, k) {
  const shown =
    url === null
      ? element('td', { class: 'url muted' }, unnamed(k))
      : element('td', { class: 'url', title: url }, element('span', {}, readable(url)));
  return element(
    'tr',
    { class: isNew ? 'new' : null },
    element('td', { class: 'time' }, timeOfDay(timeMs)),
    shown,
    element('td', { class: 'muted' }, kind === 'object' ? 'object' : 'page'),
    element('td', {}, tag(outcome)),
    hints === null
      ? element('td', { class: 'number', title: 'hints were not requested' }, none)
      : element('td', { class: 'number' }, String(hints)),
  );
}
