// Drops accesses that are not visits. Half to four fifths of a modern log are bots, scans and administration, which
// would teach wrong hints. Reasons, in the order checked:
//   monitor  the user agent is a monitoring program, or the path is a health check by a name that no page has
//            (/health and /status are pages of real sites)
//   bot      the user agent is on isbot's list, or absent though the log has the field; or the path is /robots.txt, and
//            then all accesses by that client for a day; or it posts forms without fetching what pages embed
//   scan     the path is one that vulnerability scanners try; if the site answered with an error, so that the path is
//            not its own, then all accesses by that client for a day
//   admin    the path belongs to the administration of the site
// Earlier accesses of such a client stay, because the log is read once and in order.

import { isbot } from 'isbot';
import { LatestMap } from '../../process/latest-map.ts';
import type { AccessKind } from '../access.ts';

export type FilterReason = 'monitor' | 'bot' | 'scan' | 'admin';
export type PathVerdict = FilterReason | 'robots' | 'visited';

export type AgentVerdict = 'bot' | 'monitor' | 'visitor';

/** Longest part of a user agent that is examined, characters; later parts identify no bot. */
const longestUserAgent = 1024;

const monitors =
  /monitor|uptime|pingdom|statuscake|site24x7|nagios|icinga|zabbix|check_http|health-?check|kube-probe|blackbox.?exporter|prometheus|googlehc|newrelic|datadog|gomez|catchpoint|keynote|updown\.io|betterstack|hetrixtools/i;

/** Returns what a user agent reveals about the client. An empty text means that the client sent no user agent, which
 *  no browser does. */
export function verdictOfUserAgent(userAgent: string): AgentVerdict {
  const text = userAgent.slice(0, longestUserAgent);
  if (text === '') return 'bot';
  if (monitors.test(text)) return 'monitor';
  return isbot(text) ? 'bot' : 'visitor';
}

/** A client is a robot if the forms that it posts outnumber the objects that it fetches by this number. */
const robotsForms = 5;

const markedMs = 24 * 3_600_000;
const maxMarked = 100_000;

const healthPath =
  /^\/(?:healthz|livez|readyz|health-?check|server-status|server-info|nginx_status|stub_status)(?:\.(?:php|html?|txt|aspx?))?\/?$/;

const scanPath = new RegExp(
  [
    '/wp-login\\.php|/xmlrpc\\.php|/wlwmanifest\\.xml|/wp-config\\b|/wp-content/plugins/[^/]+/readme\\.txt',
    '/\\.(?:env|git|svn|hg|aws|ssh|vscode|ds_store|htaccess|htpasswd)\\b',
    '/(?:php-?my-?admin|pma|myadmin|mysqladmin|dbadmin|adminer)\\b',
    '/(?:vendor/phpunit|eval-stdin|phpinfo|info\\.php|shell\\.php|setup\\.php|boaform|hnap1|cgi-bin/luci)',
    '/(?:manager/html|jmx-console|web-console|solr/admin|actuator/(?:health|env|info|gateway|heapdump)|_ignition|telescope/requests|owa/auth|autodiscover)\\b',
    '/etc/passwd|/proc/self|\\.\\./\\.\\.|%2e%2e|<script|union(?:\\+|%20| )+(?:all(?:\\+|%20| )+)?select',
    '\\.(?:sql|bak|old|swp)(?:\\.gz)?(?:$|\\?)',
  ].join('|'),
);

const adminPath =
  /^\/(?:wp-admin|wp-cron\.php|wp-includes\/js\/tinymce|administrator|admin|cpanel|webmin|plesk|typo3|umbraco)(?:[/?.]|$)/;

/** Longest part of a URL that is examined, characters. */
const longestPath = 2048;

/** Returns what a path (with its query) shows the client to be: a visitor, robot, scanner, monitor or operator. */
export function verdictOfPath(pathAndQuery: string): PathVerdict {
  const text = pathAndQuery.slice(0, longestPath).toLowerCase();
  const query = text.indexOf('?');
  const path = query === -1 ? text : text.slice(0, query);
  if (path === '/robots.txt') return 'robots';
  if (healthPath.test(path)) return 'monitor';
  if (scanPath.test(text)) return 'scan';
  return adminPath.test(path) ? 'admin' : 'visited';
}

/** Remembers clients identified as bots or scanners; when full, those marked longest ago are dropped. */
export class MarkedClients {
  readonly #marked = new LatestMap<string, { reason: FilterReason; untilMs: number }>(maxMarked);
  /** Number of forms posted minus number of objects fetched, by client; only for clients that post. */
  readonly #forms = new LatestMap<string, number>(maxMarked);

  /** Returns why this access is dropped, because of itself or of an earlier access of the client; undefined: it is
   *  kept. @param kind kind of the access; undefined: the log has no user agents, so posted forms prove no bot */
  judge(
    client: string,
    pathVerdict: PathVerdict,
    line: { method: string; status: number; timeMs: number },
    kind: AccessKind | undefined,
  ): FilterReason | undefined {
    if (kind !== undefined && this.#postsForms(client, line.method, kind === 'object'))
      return this.#mark(client, 'bot', line.timeMs);
    if (pathVerdict === 'robots') return this.#mark(client, 'bot', line.timeMs);
    if (pathVerdict === 'scan') {
      return line.status >= 400 ? this.#mark(client, 'scan', line.timeMs) : 'scan';
    }
    const mark = this.#marked.peek(client);
    if (mark !== undefined && line.timeMs <= mark.untilMs) return mark.reason;
    return pathVerdict === 'visited' ? undefined : pathVerdict;
  }

  #postsForms(client: string, method: string, isObject: boolean): boolean {
    const isForm = method === 'POST' && !isObject;
    const before = this.#forms.peek(client) ?? 0;
    if (!isForm && (before === 0 || !isObject)) return false;
    const forms = before + (isForm ? 1 : -1);
    const isRobot = forms >= robotsForms;
    this.#forms.set(client, isRobot ? 0 : forms);
    return isRobot;
  }

  #mark(client: string, reason: FilterReason, timeMs: number): FilterReason {
    this.#marked.set(client, { reason, untilMs: timeMs + markedMs });
    return reason;
  }
}
