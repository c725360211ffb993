// A script for pages, at most 2 KB: what speculation rules do, where a browser knows none. Served by `hints()` and by
// the service beside the rules, whose document it reads, so both ways say the same. The browser that knows
// speculation rules runs only its first condition.
//
// It asks for nothing when the visitor saves data; waits until the page has loaded and nothing else is to do; adds
// `<link rel=prefetch>` for pages of this origin alone, each once, what acts (logout, delete) never, whatever it
// was told. What the rules call moderate waits for the pointer or the focus to be on a link to it. It evaluates
// nothing, writes no inline code, keeps nothing and is silent: `script-src 'self'; connect-src 'self'` is enough.

export const prefetchScriptType = 'text/javascript; charset=utf-8';

/** Kept so long by caches: it says nothing of anybody. */
export const prefetchScriptCaching = 'max-age=3600';

/**
 * @param rules where the rules are answered: a path, or relative to the script; `data-rules` of the script
 * element goes before it
 */
export function prefetchScriptOf(rules: string): string {
  return source.replace("'RULES'", () => JSON.stringify(rules).replaceAll('<', '\\u003c'));
}

const source = `// loadahead: fetches the pages that visitors want next where a browser knows no speculation rules.
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
  const rules = new URL(me.dataset.rules || 'RULES', me.src);
  if (rules.origin !== origin) return;
  rules.searchParams.set('url', here);
  const acts = /(log|sign)[-_]?(out|off)|delete|remove|cart|checkout|unsubscribe/i;
  const done = new Set([here]);
  const later = new Set();
  const fetchAhead = (path) => {
    if (done.has(path) || done.size > 8) return;
    done.add(path);
    document.head.append(Object.assign(link(), { rel: 'prefetch', href: path }));
  };
  const onLink = ({ target }) => {
    const a = target.closest?.('a[href]');
    if (a?.origin === origin && later.has(a.pathname + a.search)) fetchAhead(a.pathname + a.search);
  };
  const idle = (work) => (self.requestIdleCallback || setTimeout)(work);
  const start = async () => {
    try {
      const answer = await fetch(rules);
      const { prefetch } = answer.ok ? await answer.json() : {};
      for (const { urls, eagerness } of prefetch || []) {
        for (const raw of urls) {
          const url = new URL(raw, origin);
          const path = url.pathname + url.search;
          if (url.origin !== origin || acts.test(path)) continue;
          if (eagerness === 'immediate') idle(() => fetchAhead(path));
          else later.add(path);
        }
      }
      if (later.size) for (const type of ['pointerover', 'focusin']) addEventListener(type, onLink);
    } catch {}
  };
  if (document.readyState === 'complete') idle(start);
  else addEventListener('load', () => idle(start));
})();
`;
