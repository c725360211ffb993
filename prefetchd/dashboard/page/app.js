// Runs the dashboard: polls the service each second while the page is visible, and passes the data to its parts. If the
// service does not respond, it retries at intervals of at most five seconds for as long as the page is open.

import { get, hasToken, NotAdmitted, setToken } from './api.js';
import { bars } from './charts.js';
import { byId, element, setText } from './elements.js';
import { compact, count, duration, none, percent, timeOfDay, visitors } from './figures.js';
import { LatestVisits } from './live.js';
import { Pages } from './pages.js';

const intervalMs = 1000;
const longestMs = 5000;
/** Interval at which the picture of the graph is updated, ms. */
const pictureEveryMs = 3000;
const inMemory = 'in memory only: lost at restart';

const live = new LatestVisits();
const pages = new Pages(onProblem);
let timer = null;
let isAsking = false;
let failures = 0;
let startedMs = null;
let picturedMs = 0;

async function poll() {
  clearTimeout(timer);
  if (isAsking || document.hidden || isWaitingForToken()) return;
  isAsking = true;
  try {
    const overview = await get('v1/overview');
    failures = 0;
    show(overview);
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
  startedMs = overview.startedMs;
  if (!byId('token-form').hidden) byId('token-form').hidden = true;
  // `/metrics` needs the token in a header, which a link cannot send.
  byId('metrics-link').hidden = hasToken();
  byId('main').hidden = false;
  const { stats } = overview;
  byId('trial').hidden = overview.trial === false;
  connection(
    stats.store.isHealthy ? 'good' : 'degraded',
    stats.store.isHealthy ? 'Live' : 'Live, but what was learned cannot be stored',
  );
  const kept = stats.store.name === null ? ` · ${inMemory}` : '';
  setText('version', `${overview.version} · up ${duration(Date.now() - startedMs)}${kept}`);
  for (const place of document.querySelectorAll('.k')) {
    const k = visitors(overview.minClients);
    if (place.textContent !== k) place.textContent = k;
  }
  showGained(stats.pages);
  showEmpty(overview);
  showSeries(overview.series);
  showDropped(stats);
  showService(stats);
  showHoldback(overview);
  live.show(overview);
  pages.show(overview);
}

function showGained({ clicks, fetched, used, savedMs }) {
  setText('instant', compact(used));
  setText('share', percent(used / clicks, 0));
  setText('share-of', `${compact(used)} of ${compact(clicks)} clicks`);
  setText('saved', savedMs === null ? none : duration(savedMs));
  setText(
    'saved-how',
    savedMs === null ? 'not measured: needs the beacon' : 'as the beacon measured',
  );
  const opened = Math.min(used, fetched);
  setText('used', percent(opened / fetched, 0));
  setText('used-of', `${compact(opened)} used, ${compact(fetched - opened)} not, so far`);
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
  // Until there is traffic, a graph that was learned before comes first on the page.
  document.body.dataset.traffic = isQuiet && stats.nodes > 0 ? 'none' : 'some';
  const isEmpty = isQuiet && stats.nodes === 0;
  byId('empty').hidden = !isEmpty;
  for (const panel of document.querySelectorAll('.over-time, .follow, .live')) {
    panel.hidden = isEmpty;
  }
  if (!isEmpty) return;
  const token = hasToken() ? " \\\n  -H 'Authorization: Bearer TOKEN'" : '';
  const where = new URL('v1/hints', location.href).href;
  setText(
    'example',
    `curl ${where} \\\n  -H 'Content-Type: application/json'${token} \\\n  -d '{"client": "198.51.100.1 Firefox", "url": "/guide"}'`,
  );
}

function showSeries({ intervalMs: every, clicks, used }) {
  const sum = (row) => row.reduce((total, value) => total + value, 0);
  const length = duration(every * clicks.length);
  setText('series-range', clicks.length === 0 ? '' : `last ${length}, ${duration(every)} each`);
  const others = clicks.map((all, at) => all - used[at]);
  const label = `${count(sum(used))} of ${count(sum(clicks))} clicks were instant in ${length}`;
  bars(byId('clicks-chart'), [used, others], ['used', 'other'], label, every);
}

/** Reasons why a request is not learned, in the words of a site's owner. */
const reasons = {
  method: 'not a GET',
  gpc: 'visitor asks for privacy (Sec-GPC)',
  url: 'no address of a page',
  'cross-origin': 'for another host, or from one',
  monitor: 'monitoring program',
  bot: 'robot',
  scan: 'scan for weaknesses',
  admin: 'administration of the site',
  authorization: 'request with a password',
  denied: 'address that may be private or act',
  nested: 'frame in a page',
  'save-data': 'visitor saves data',
  status: 'error or redirect',
  'set-cookie': 'response sets a cookie',
  private: 'response is private',
  'no-store': 'response must not be stored',
  vary: 'response differs by visitor',
  noindex: 'page says noindex',
  'not-page': 'download, feed or part of a page',
  malformed: 'no valid address',
  query: 'query that may be private or act',
  repeat: 'same visitor, same page again today',
  flood: 'too many requests of one visitor',
  trial: 'not on this machine, during a trial',
  unproven: 'fetches no images or styles, as robots do',
};
/** Reasons that the page does not list: browsers' reports, and prefetches, which are learned once opened. */
const unasked = ['shown', 'prefetch'];
const mostReasons = 8;

let droppedDrawn = '';
function showDropped({ notLearned }) {
  const all = Object.entries(notLearned)
    .filter(([reason]) => !unasked.includes(reason))
    .sort((a, b) => b[1] - a[1]);
  const drawing = JSON.stringify(all);
  if (drawing === droppedDrawn) return;
  droppedDrawn = drawing;
  const sum = (rows) => rows.reduce((total, [, times]) => total + times, 0);
  const others = sum(all.slice(mostReasons));
  const rows = all.slice(0, mostReasons);
  if (others > 0) rows.push(['other reasons', others]);
  setText('dropped-sum', all.length === 0 ? '' : compact(sum(all)));
  byId('dropped-empty').hidden = all.length > 0;
  byId('dropped').replaceChildren(
    ...rows.map(([reason, times]) => {
      const bar = element('span', { class: 'bar' });
      bar.style.width = `${(times / sum(all)) * 100}%`;
      return element(
        'tr',
        { title: reason },
        element('th', { scope: 'row' }, reasons[reason] ?? reason),
        element('td', { class: 'bar-cell', 'aria-hidden': 'true' }, bar),
        element('td', { class: 'number' }, count(times)),
      );
    }),
  );
}

let serviceDrawn = '';
function showService({ learned, nodes, store, load }) {
  const slow = load >= 0.95 ? ': no hints now' : load >= 0.7 ? ': fewer hints now' : '';
  const facts = [
    ['Kept in', store.name ?? inMemory],
    ...(store.name === null
      ? []
      : [['Last stored', store.lastFlushMs === null ? none : timeOfDay(store.lastFlushMs)]]),
    ...(store.isHealthy ? [] : [['Cannot be stored', store.lastError ?? '']]),
    ['Pages learned from', count(learned.document)],
    ['Files of pages learned from', count(learned.object)],
    ['Pages and files known', count(nodes)],
    ['Processor busy', `${percent(load, 0)}${slow}`],
  ];
  const drawing = JSON.stringify(facts);
  if (drawing === serviceDrawn) return;
  serviceDrawn = drawing;
  byId('service-facts').replaceChildren(
    ...facts.map(([name, value]) =>
      element('div', {}, element('dt', {}, name), element('dd', {}, value)),
    ),
  );
}

/** Folds away, on a phone, all panels below the second. */
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
    fold(isPhone && at > 1);
  }
}

foldable();
void poll();
