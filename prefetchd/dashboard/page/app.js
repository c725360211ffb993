// The dashboard: polls the service each second while the page is visible, and passes the data to its parts. If the
// service does not respond, it retries at intervals of at most five seconds for as long as the page is open.

import { get, hasToken, NotAdmitted, setToken } from './api.js';
import { bars } from './charts.js';
import { byId, element, setText } from './elements.js';
import { bytes, compact, count, duration, none, percent, timeOfDay } from './figures.js';
import { LiveAccesses } from './live.js';
import { Pages } from './pages.js';
import { TryOut } from './try.js';

const intervalMs = 1000;
const longestMs = 5000;
/** Update interval of the picture. */
const pictureEveryMs = 3000;

const live = new LiveAccesses();
const pages = new Pages(onProblem);
const tryOut = new TryOut(() => poll());
let timer = null;
let isAsking = false;
let failures = 0;
let startedMs = null;
let picturedMs = 0;
/** Access counts of the last few answers, with their times. */
let counts = [];

async function poll() {
  clearTimeout(timer);
  if (isAsking || document.hidden || isWaitingForToken()) return;
  isAsking = true;
  try {
    const overview = await get('v1/overview');
    failures = 0;
    show(overview);
    await tryOut.show(overview);
    if (performance.now() - picturedMs > pictureEveryMs) {
      picturedMs = performance.now();
      await pages.refresh();
    }
  } catch (error) {
    onProblem(error);
  } finally {
    isAsking = false;
    timer = setTimeout(poll, Math.min(longestMs, intervalMs * 2 ** Math.max(0, failures - 1)));
  }
}

function isWaitingForToken() {
  return !byId('token-form').hidden && !hasToken();
}

function onProblem(error) {
  if (error instanceof NotAdmitted) {
    showTokenForm();
    return;
  }
  failures++;
  connection('lost', `No answer, asking again`);
}

function showTokenForm() {
  const form = byId('token-form');
  connection('lost', 'Waiting for the token');
  if (form.hidden) {
    form.hidden = false;
    byId('main').hidden = true;
    byId('token').focus();
  }
  if (hasToken()) {
    setText('token-problem', 'This token is wrong.');
    setToken('');
  }
}

byId('token-form').addEventListener('submit', (event) => {
  event.preventDefault();
  setText('token-problem', '');
  setToken(byId('token').value.trim());
  byId('token').value = '';
  void poll();
});

document.addEventListener('visibilitychange', () => {
  if (!document.hidden) void poll();
});

function connection(state, text) {
  byId('connection').dataset.state = state;
  setText('connection-text', text);
}

function show(overview) {
  if (startedMs !== null && overview.startedMs !== startedMs) {
    counts = [];
    tryOut.forget();
  }
  startedMs = overview.startedMs;
  if (!byId('token-form').hidden) byId('token-form').hidden = true;
  // `/metrics` needs the token in a header, which a link cannot send.
  byId('metrics-link').hidden = hasToken();
  byId('main').hidden = false;
  const { stats } = overview;
  byId('trial').hidden = overview.trial === false;
  connection(
    stats.store.isHealthy ? 'good' : 'degraded',
    stats.store.isHealthy ? 'Live' : 'Live, but the store is failing',
  );
  setText('version', `${overview.version} · up ${duration(Date.now() - startedMs)}`);
  for (const place of document.querySelectorAll('.k')) {
    const k = String(overview.minClients);
    if (place.textContent !== k) place.textContent = k;
  }
  showTiles(overview);
  showEmpty(overview);
  showSeries(overview.series, stats.hints);
  showDropped(stats);
  showStore(stats);
  showHoldback(overview);
  live.show(overview);
  pages.show(overview);
}

function showTiles({ stats, shown }) {
  const { learned, hints, nodes, arcs, load, store } = stats;
  const all = learned.document + learned.object;
  const nowMs = performance.now();
  counts = [...counts.filter(({ atMs }) => nowMs - atMs < 10_000), { atMs: nowMs, all }];
  const { atMs, all: before } = counts[0];
  const perSecond = counts.length < 2 ? 0 : ((all - before) * 1000) / (nowMs - atMs);
  setText('rate', `${perSecond >= 10 ? compact(perSecond) : perSecond.toFixed(1)} /s`);
  setText('learned', `${compact(all)} learned`);
  setText('given', compact(hints.given));
  setText('taken', `${compact(hints.taken)} fetched ahead`);
  setText('precision', percent(hints.used / (hints.used + hints.wasted), 0));
  setText('used', `${compact(hints.used)} used, ${compact(hints.wasted)} wasted`);
  setText('nodes', `${compact(nodes)} URLs`);
  setText('arcs', `${compact(arcs)} arcs, ${compact(shown)} may be shown`);
  setText('load', percent(load, 0));
  setText(
    'load-word',
    load >= 0.95 ? 'full: no hints' : load >= 0.7 ? 'busy: fewer hints' : 'calm',
  );
  setText('store', store.isHealthy ? 'healthy' : 'failing');
  byId('store').dataset.state = store.isHealthy ? 'good' : 'bad';
  setText('store-more', store.name === null ? 'in memory only' : store.name.replace(/:.*/s, ''));
}

function showHoldback({ holdback }) {
  const isEarly = holdback?.state === 'early';
  byId('holdback').hidden = holdback === null || isEarly;
  byId('holdback-early').hidden = !isEarly;
  if (holdback === null) return;
  if (isEarly) {
    setText('holdback-early', 'What hints are worth: too early to say.');
    return;
  }
  byId('holdback').dataset.state = holdback.state;
  setText('holdback-title', holdback.headline);
  setText('holdback-explanation', holdback.explanation);
}

function showEmpty({ stats }) {
  const isQuiet = stats.learned.document + stats.learned.object === 0;
  // A graph of before leads until there is traffic.
  document.body.dataset.traffic = isQuiet && stats.nodes > 0 ? 'none' : 'some';
  const isEmpty = isQuiet && stats.nodes === 0;
  byId('empty').hidden = !isEmpty;
  if (!isEmpty) return;
  const token = hasToken() ? " \\\n  -H 'Authorization: Bearer TOKEN'" : '';
  const where = new URL('v1/hints', location.href).href;
  setText(
    'example',
    `curl ${where} \\\n  -H 'Content-Type: application/json'${token} \\\n  -d '{"client": "198.51.100.1 Firefox", "url": "/guide"}'`,
  );
}

function showSeries({ intervalMs: every, learned, given, used, wasted }) {
  const sum = (row) => row.reduce((total, value) => total + value, 0);
  const length = duration(every * given.length);
  setText('series-range', given.length === 0 ? '' : `last ${length}, ${duration(every)} each`);
  const [givenSum, usedSum, wastedSum, learnedSum] = [given, used, wasted, learned].map(sum);
  setText('given-sum', count(givenSum));
  setText(
    'used-sum',
    usedSum + wastedSum === 0 ? none : percent(usedSum / (usedSum + wastedSum), 0),
  );
  setText('learned-sum', count(learnedSum));
  bars(
    byId('given-chart'),
    [given],
    ['given'],
    `${count(givenSum)} hints given in ${length}`,
    every,
  );
  bars(
    byId('used-chart'),
    [used, wasted],
    ['used', 'wasted'],
    `${count(usedSum)} hints used and ${count(wastedSum)} wasted in ${length}`,
    every,
  );
  bars(
    byId('learned-chart'),
    [learned],
    ['learned'],
    `${count(learnedSum)} accesses learned in ${length}`,
    every,
  );
}

let droppedDrawn = '';
function showDropped({ notLearned }) {
  const reasons = Object.entries(notLearned).sort((a, b) => b[1] - a[1]);
  const drawing = JSON.stringify(reasons);
  if (drawing === droppedDrawn) return;
  droppedDrawn = drawing;
  const all = reasons.reduce((sum, [, times]) => sum + times, 0);
  setText('dropped-sum', all === 0 ? '' : compact(all));
  byId('dropped-empty').hidden = all > 0;
  byId('dropped').replaceChildren(
    ...reasons.slice(0, 8).map(([reason, times]) => {
      const bar = element('span', { class: 'bar' });
      bar.style.width = `${(times / reasons[0][1]) * 100}%`;
      return element(
        'tr',
        {},
        element('th', { scope: 'row' }, reason),
        element('td', { class: 'bar-cell', 'aria-hidden': 'true' }, bar),
        element('td', { class: 'number' }, count(times)),
      );
    }),
  );
}

let storeDrawn = '';
function showStore({ store, graphBytes }) {
  const facts = [
    ['Kept in', store.name ?? 'memory only'],
    ['Last flush', store.lastFlushMs === null ? none : timeOfDay(store.lastFlushMs)],
    ['Flushes', count(store.flushes)],
    ['Failures', count(store.failures)],
    ['Graph', bytes(graphBytes)],
    ...(store.lastError === null || store.isHealthy ? [] : [['Last error', store.lastError]]),
  ];
  const drawing = JSON.stringify(facts);
  if (drawing === storeDrawn) return;
  storeDrawn = drawing;
  byId('store-facts').replaceChildren(
    ...facts.map(([name, value]) =>
      element('div', {}, element('dt', {}, name), element('dd', {}, value)),
    ),
  );
}

/** On a phone each panel below the first folds away. */
function foldable() {
  const isPhone = matchMedia('(max-width: 760px)').matches;
  const panels = [...document.querySelectorAll('section.panel')].filter((panel) =>
    panel.querySelector('.head'),
  );
  for (const [at, panel] of panels.entries()) {
    const name = panel.querySelector('h2').textContent;
    const button = element('button', { type: 'button', class: 'fold', 'aria-label': name });
    const fold = (isFolded) => {
      panel.dataset.folded = String(isFolded);
      button.setAttribute('aria-expanded', String(!isFolded));
    };
    button.addEventListener('click', () => fold(panel.dataset.folded !== 'true'));
    panel.querySelector('.head').append(button);
    fold(isPhone && at > 0);
  }
}

foldable();
void poll();
