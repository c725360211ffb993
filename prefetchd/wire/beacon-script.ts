// Makes a script with which pages report when they are shown, from where and how fast: `<script
// src="/prefetch-beacon.js" async></script>`. The script contains web-vitals (Apache-2.0), which measures as Chrome
// does, also for a page that was prerendered. It posts to its own origin with sendBeacon, stores nothing, reads no
// cookie, evaluates nothing; `script-src 'self'; connect-src 'self'` suffices.
//
// A page that is being prerendered reports nothing: the visit begins when it is activated. A page sends its times when
// it is hidden, the last event that browsers guarantee; and when it is dismissed, the pages that it fetched ahead in
// vain, if browsers reveal them (performance.getSpeculations, https://github.com/WICG/speculative_load_measurement).

import { mostUnused } from './beacon.ts';

export const beaconScriptType = 'text/javascript; charset=utf-8';

/** Value of Cache-Control for the script, which contains no personal data. */
export const beaconScriptCaching = 'max-age=3600';

/** Path to which the beacon's script posts, relative to its own URL. */
export const beaconPath = 'prefetch-beacon';

/** Returns the text of the script. @param webVitals text of the library web-vitals */
export function beaconScriptOf(webVitals: string): string {
  const origin = 'web-vitals, Apache-2.0, https://github.com/GoogleChrome/web-vitals';
  return `// ${origin}\n${webVitals}\n${source}`;
}

const source = `// loadahead: says that this page is shown, from where and how fast.
(() => {
  const me = document.currentScript;
  const [entry] = performance.getEntriesByType('navigation');
  if (!me || !entry) return;
  const { origin, pathname, search } = location;
  const to = new URL('${beaconPath}', me.src);
  if (to.origin !== origin) return;
  const took = {};
  let isLeft = false;
  // The path of a URL; undefined if it is of another site.
  const pathOf = (url) => {
    const { pathname, search } = url?.startsWith(origin + '/') ? new URL(url) : {};
    return pathname && pathname + search;
  };
  const say = (moment, navigation, more) => {
    const body = JSON.stringify({
      moment,
      page: pathname + search,
      from: pathOf(document.referrer),
      navigation,
      delivery: entry.deliveryType || '',
      activationMs: entry.activationStart || 0,
      saveData: !!navigator.connection?.saveData,
      ...more,
    });
    if (!navigator.sendBeacon?.(to, body)) {
      fetch(to, { method: 'POST', body, keepalive: true, mode: 'same-origin' }).catch(() => {});
    }
  };
  const note = (name) => ({ value }) => (took[name] = Math.round(value * 10) / 10);
  const all = { reportAllChanges: true };
  webVitals.onTTFB(note('ttfbMs'), all);
  webVitals.onFCP(note('fcpMs'), all);
  webVitals.onLCP(({ value, entries }) => {
    note('lcpMs')({ value });
    took.lcpUrl = pathOf(entries.at(-1)?.url);
  }, all);
  webVitals.onINP(note('inpMs'), all);
  const leave = () => {
    if (isLeft || document.prerendering) return;
    isLeft = true;
    say('left', entry.type, took);
  };
  const dismiss = () => {
    leave();
    const { navigations = [], navigationDestinationURL } = performance.getSpeculations?.() ?? {};
    const paths = navigations.map(({ url }) => pathOf(url)).filter((path) => path);
    const unused = paths.filter((path) => path !== pathOf(navigationDestinationURL));
    while (JSON.stringify(unused).length > 2000 || unused.length > ${mostUnused}) unused.pop();
    if (unused.length > 0) say('dismissed', entry.type, { unused });
  };
  const show = () => {
    say('shown', entry.type);
    addEventListener('visibilitychange', () => document.hidden && leave(), true);
    addEventListener('pagehide', dismiss, true);
  };
  addEventListener('pageshow', ({ persisted }) => persisted && say('shown', 'restore'));
  if (document.prerendering) document.addEventListener('prerenderingchange', show, { once: true });
  else show();
})();
`;
