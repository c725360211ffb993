// Makes a script for pages, at most 2 KB, that replaces speculation rules in browsers without them; other browsers run
// only its first condition. `hints()` and the service serve it beside the rules document, which it reads.
//
// It does nothing if the visitor saves data, and waits until the page has loaded and is idle. It then adds `<link
// rel=prefetch>` for documents of this origin, each once, but never for actions (logout, delete), whatever the rules
// say. `eager` rules wait until the pointer or focus is on a link, `moderate` ones until it rests there; rules for all
// links are left out. It evaluates nothing, writes no inline code, stores nothing and logs nothing; `script-src 'self';
// connect-src 'self'` suffices.

export const prefetchScriptType = 'text/javascript; charset=utf-8';

/** Value of Cache-Control for the script, which contains no personal data. */
export const prefetchScriptCaching = 'max-age=3600';

/**
 * Returns the text of the script. @param rules URL of the rules: a path, or relative to the script; `data-rules` of the
 * script element overrides it, and a value such as `?prefetchd-rules` is appended to the page's own URL
 */
export function prefetchScriptOf(rules: string): string {
  const short = source.replace(/^ +/gm, '');
  return short.replace("'RULES'", () => JSON.stringify(rules).replaceAll('<', '\\u003c'));
}

const source = `// loadahead: prefetches where a browser knows no speculation rules.
(() => {
  const me = document.currentScript;
  const link = () => document.createElement('link');
  if (
    !me ||
    HTMLScriptElement.supports?.('speculationrules') ||
    !link().relList?.supports?.('prefetch') ||
    navigator.connection?.saveData ||
    matchMedia('(prefers-reduced-data: reduce)').matches
  ) return;
  const { origin, pathname, search } = location;
  const here = pathname + search;
  const at = me.dataset.rules || 'RULES';
  const own = at[0] === '?' && here + (search ? '&' : '?') + at.slice(1);
  const rules = new URL(own || at, me.src);
  if (rules.origin !== origin) return;
  if (!own) rules.searchParams.set('url', here);
  const acts = /(log|sign)[-_]?(out|off)|delete|remove|cart|checkout|unsubscribe/i;
  const done = new Set([here]);
  const waits = new Map();
  const fetchAhead = (path) => {
    if (done.has(path) || done.size > 8) return;
    done.add(path);
    document.head.append(Object.assign(link(), { rel: 'prefetch', href: path }));
  };
  let timer;
  const onLink = ({ target }) => {
    clearTimeout(timer);
    const a = target.closest?.('a[href]');
    const path = a?.origin === origin && a.pathname + a.search;
    if (waits.has(path)) timer = setTimeout(fetchAhead, waits.get(path), path);
  };
  const idle = (work) => (self.requestIdleCallback || setTimeout)(work);
  const start = async () => {
    try {
      const { prefetch = [] } = await (await fetch(rules)).json();
      for (const { urls = [], eagerness } of prefetch) {
        for (const raw of urls) {
          const url = new URL(raw, origin);
          const path = url.pathname + url.search;
          if (url.origin !== origin || acts.test(path)) continue;
          if (eagerness === 'immediate') idle(() => fetchAhead(path));
          else waits.set(path, eagerness === 'eager' ? 10 : 150);
        }
      }
      for (const type of ['pointerover', 'focusin']) addEventListener(type, onLink);
    } catch {}
  };
  if (document.readyState === 'complete') idle(start);
  else addEventListener('load', () => idle(start));
})();
`;
