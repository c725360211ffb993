// The last accesses: when, what, and how many hints it got; never by whom.

import { byId, element, setText } from './elements.js';
import { none, readable, timeOfDay } from './figures.js';

export class LiveAccesses {
  #isPaused = false;
  #noted = null;
  #drawn = '';

  constructor() {
    const button = byId('pause');
    button.addEventListener('click', () => {
      this.#isPaused = !this.#isPaused;
      button.setAttribute('aria-pressed', String(this.#isPaused));
    });
  }

  /** @param noted number of accesses so far, of which `accesses` are the latest */
  show({ noted, accesses, minClients }) {
    if (this.#isPaused) return;
    const drawing = JSON.stringify([noted, accesses]);
    if (drawing === this.#drawn) return;
    this.#drawn = drawing;
    const isNew = (at) => this.#noted !== null && noted - at > this.#noted;
    byId('accesses').replaceChildren(
      ...accesses.map((access, at) => row(access, isNew(at), minClients)),
    );
    this.#noted = noted;
    if (accesses.length === 0) setText('accesses', '');
  }
}

/** Visitors are counted for each link to it and from it, not for the URL. */
function unnamed(k) {
  return `hidden: no link with ${k} ${k === 1 ? 'visitor' : 'visitors'} yet`;
}

function row({ timeMs, url, kind, hints }, isNew, k) {
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
    hints === null
      ? element('td', { class: 'number', title: 'hints were not requested' }, none)
      : element('td', { class: 'number' }, String(hints)),
  );
}
