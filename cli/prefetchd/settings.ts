// Lists the settings of `prefetchd serve` and `prefetchd proxy`: a row for each, with kind, meaning and the default in
// words. Flags, variables, the file of --config, its JSON Schema (schema/), the table of docs/protocol.md and all error
// messages come from this table.

import {
  anyOf,
  duration,
  listOf,
  oneOf,
  orInfinite,
  text,
  wholeNumber,
  wordOf,
} from '../../options/kinds.ts';
import { defaultsOf, type Kind, type ValuesOf } from '../../options/options.ts';
import {
  objectThresholdOf,
  prefetchdDefaults,
  sitesKind,
} from '../../prefetchd/engine/prefetchd-options.ts';
import { formatRule } from '../../prefetchd/log/index.ts';
import {
  holdbackRange,
  limitRange,
  minClientsKind,
  predictorNames,
  thresholdKind,
  windowKind,
} from '../../prefetchd/model/model-kinds.ts';
import { originKind, queryKind } from '../../prefetchd/normalise-url.ts';
import { usualPort } from '../../prefetchd/service/listening.ts';
import {
  connectionsKind,
  listOfTexts,
  portKind,
  prefixRule,
  tokenOrFileRule,
} from '../../prefetchd/service/service-kinds.ts';
import { keptStoreForms, storeForms, storePattern } from '../../prefetchd/store/store-location.ts';
import { speculationKinds } from '../../prefetchd/wire/speculation-settings.ts';
import { usualHost } from '../../process/listen-on.ts';
import { hintsTable } from '../../server/hints/hint-options.ts';
import {
  changeOriginOption as changeOrigin,
  proxyDefaults,
} from '../../server/proxy/upstream-limits.ts';
import { type FlagNames, flagOf } from '../command-error.ts';
import { usualOf } from '../flag-values.ts';
import { usualLevel } from './log.ts';

export type Serving = 'serve' | 'proxy';

interface SettingRow {
  /** What the value is, for the help: `<file>`; in brackets if the flag may stand without a value. */
  value: string;
  /** Meaning of the setting, with the default in parentheses; it may differ for `serve` and `proxy`. */
  meaning: string | Readonly<Record<Serving, string>>;
  /** The command that has the setting; absent: `prefetchd serve` and `prefetchd proxy` have it. */
  of?: Serving;
  /** The library's option that the setting sets, if it has another name. */
  option?: string;
}

export interface Setting<Settled extends Kind<unknown> = Kind<unknown>> extends SettingRow {
  kind: Settled;
}

function setting<Settled extends Kind<unknown>>(
  kind: Settled,
  value: string,
  meaning: SettingRow['meaning'],
  more: Pick<SettingRow, 'of' | 'option'> = {},
): Setting<Settled> {
  return { kind, value, meaning, ...more };
}

const filePath = text({ rule: 'the path of a file', pattern: /^(?!https?:\/\/)./s });
const patterns = listOf(
  text({
    rule: 'a word of letters, or a path that begins with /',
    pattern: /^(?:\/|[_-]*\p{L}[\p{L}_-]*$)/u,
  }),
  'a list of words and paths',
);
const onOff = wordOf({ on: true, off: false });
const scriptRule = 'on, off or a path that begins with /';

export const defaultPorts: Readonly<Record<Serving, number>> = { serve: usualPort, proxy: 8080 };
/** The default store, a file in the current folder. */
export const defaultStore = 'sqlite:prefetchd.db';

const usual = usualOf({
  ...defaultsOf({ ...hintsTable, changeOrigin }),
  ...proxyDefaults,
  ...prefetchdDefaults,
});
const ofProxy = { of: 'proxy' } as const;
const ofServe = { of: 'serve' } as const;

/** Settings by their name in the file of --config. The flag is this name with dashes; the environment variable,
 *  with PREFETCHD_ before it and with underscores. */
export const settings = {
  port: setting(portKind, '<n>', {
    serve: `TCP port; 0: any free port (${defaultPorts.serve})`,
    proxy: `TCP port; 0: any free port (${defaultPorts.proxy})`,
  }),
  host: setting(
    text({ rule: 'a host name, an address, unix:/path or fd:3', pattern: /^(?!unix:(?!\/))./ }),
    '<host>',
    `address to listen on (beyond loopback, serve needs a token), or unix:/path, a socket open to its user and group, or fd:3, a TCP port that systemd passed (${usualHost})`,
  ),
  upstream: setting(
    text({
      rule: 'http://host:port, https://host:port or unix:/path',
      pattern: /^(?:https?:\/\/.|unix:\/.)/,
    }),
    '<url>',
    'the site: http://host:port, https://host or unix:/path',
    ofProxy,
  ),
  adminPort: setting(portKind, '<n>', 'hints, metrics, tuning on this loopback port, too', ofProxy),
  maxConnections: setting(connectionsKind, '<n>', {
    serve: 'simultaneous connections; more are closed (as many as files and memory allow)',
    proxy: 'simultaneous connections; more get 503 (as many as files and memory allow)',
  }),
  maxRequestBodyBytes: setting(
    wholeNumber({ most: 2 ** 40 }),
    '<n>',
    `content of a request; more gets 413 (${usual.maxRequestBodyBytes})`,
    ofProxy,
  ),
  requestTimeout: setting(
    orInfinite(duration, {}),
    '<time>',
    `for a whole request; inf: an upload may take any time (${usual.requestTimeoutMs})`,
    { ...ofProxy, option: 'requestTimeoutMs' },
  ),
  responseTimeout: setting(
    duration(),
    '<time>',
    `longest wait for the site, and for a connection to it, before 504 (${usual.responseTimeoutMs})`,
    { ...ofProxy, option: 'responseTimeoutMs' },
  ),
  changeOrigin: setting(
    onOff,
    '<on|off>',
    `send the site's own name as Host, not the visitor's (${usual.changeOrigin})`,
    ofProxy,
  ),
  ca: setting(filePath, '<file>', "authority of the site's certificate, PEM (Node's)", ofProxy),
  tlsKey: setting(
    filePath,
    '<file>',
    'private key, PEM: serve over TLS, HTTP/2 and 1.1; with --tls-cert',
    { ...ofProxy, option: 'tls' },
  ),
  tlsCert: setting(filePath, '<file>', 'certificate chain, PEM', { ...ofProxy, option: 'tls' }),
  store: setting(
    // The value may contain a password.
    text({ rule: storeForms, pattern: storePattern, isSecret: true }),
    '<store>',
    `where the graph is kept: memory, ${keptStoreForms} (${defaultStore})`,
  ),
  predictor: setting(
    oneOf(predictorNames),
    '<name>',
    `how next URLs are predicted (as the store was made, else ${usual.predictor})`,
  ),
  threshold: setting(
    thresholdKind,
    '<p>',
    `hint what has a probability above this (pages ${usual.threshold}, embedded objects ${objectThresholdOf(prefetchdDefaults.threshold)})`,
  ),
  window: setting(
    windowKind,
    '<w>',
    `lookahead window in accesses; 2: the next one (as the store was made, else ${usual.window})`,
  ),
  limit: setting(
    orInfinite(wholeNumber, limitRange),
    '<i>',
    `most hints per response; inf: no limit (${usual.limit})`,
  ),
  otherLinks: setting(
    speculationKinds.otherLinks,
    '<when>',
    `rules for links that are not hinted: moderate (pointer rests), conservative (pressed), off (${usual.otherLinks})`,
  ),
  prerender: setting(
    speculationKinds.prerender,
    '<when>',
    `prerender hinted pages that have the beacon: moderate, immediate or off (${usual.prerender})`,
  ),
  minClients: setting(
    minClientsKind,
    '<k>',
    `distinct clients that must have gone from one URL to the other (${usual.minClients})`,
  ),
  trial: setting(
    wordOf({ on: true, off: false, everywhere: 'everywhere' }),
    '[where]',
    `to try hints alone: one visitor, on this machine, is enough; everywhere: on any; kept in memory unless --store is given (${usual.trial})`,
  ),
  holdback: setting(
    wholeNumber(holdbackRange),
    '<n>',
    'percent of visitors who get no hints, for prefetchd report; needs the beacon; counts are kept in FILE.holdback.json beside sqlite:FILE',
  ),
  halfLife: setting(
    orInfinite(duration, {}),
    '<time>',
    `an access this old counts half; inf: never less (${usual.halfLifeMs})`,
    { option: 'halfLifeMs' },
  ),
  query: setting(
    queryKind,
    '<rule>',
    `queries: evidence, drop-from-hints, keep, strip, or parameters to keep (${usual.query})`,
  ),
  deny: setting(
    patterns,
    '<pattern>',
    'never learn or hint URLs with this word or below this /path; repeatable',
  ),
  allow: setting(patterns, '<pattern>', 'exception to the built-in and given denials; repeatable', {
    option: 'deny.allow',
  }),
  respectGpc: setting(
    onOff,
    '<on|off>',
    `learn nothing from visitors who send Sec-GPC: 1; they get hints (${usual.respectGpc})`,
  ),
  origin: setting(
    originKind({}),
    '<url>',
    'origin of the site: its absolute URLs become paths, others are refused',
  ),
  sites: setting(
    sitesKind,
    '<hosts>',
    `each: every host is a site of its own; one; or these hosts alone (${usual.sites})`,
  ),
  trust: setting(
    listOfTexts('an address or a network', 'a list of addresses and networks'),
    '<address>',
    'address or network of a proxy whose X-Forwarded-For is believed; repeatable',
    { option: 'trustProxy' },
  ),
  prefix: setting(
    text(prefixRule),
    '<path>',
    'path of the site that a proxy in front takes away, as /shop (X-Forwarded-Prefix of a trusted one)',
  ),
  token: setting(
    text(tokenOrFileRule),
    '<token>',
    'callers send it as Authorization: Bearer; @FILE: what this file contains',
    ofServe,
  ),
  speculationRules: setting(
    anyOf([onOff, text({ rule: scriptRule, pattern: /^\// })], scriptRule),
    '<on|off|path>',
    `send Speculation-Rules and serve the rules at /speculation-rules.json; a path: also serve a script there, for browsers without them (${usual.speculationRules})`,
    ofProxy,
  ),
  earlyHints: setting(
    wordOf({ h2: 'h2', on: true, off: false }),
    '<h2|on|off>',
    `103 Early Hints for what a page embeds: over HTTP/2, on any version, or never (${usual.earlyHints})`,
    ofProxy,
  ),
  dictionaries: setting(
    onOff,
    '<on|off>',
    'send pages as their difference to pages that the client has (RFC 9842) (off)',
    ofProxy,
  ),
  beacon: setting(
    wordOf({ on: 'on', off: 'off', inject: 'inject' }),
    '<on|off|inject>',
    `serve the beacon /prefetch-beacon.js; inject: put its script into pages too (${usual.beacon})`,
    ofProxy,
  ),
  follow: setting(
    // Paths may contain commas, so the text of a flag is a single path.
    listOf(filePath, 'a list of paths'),
    '<file>',
    'learn from this access log as it grows, across rotation; repeatable',
  ),
  format: setting(
    text({ rule: formatRule, pattern: /./ }),
    '<format>',
    'format of these logs, or where they have what, as client=ip,time=ts,url=path (detected)',
  ),
  hintsFile: setting(
    listOf(filePath, 'a list of paths'),
    '<file>',
    'write the hints of all pages to this file at each change: for nginx (.map), Caddy (.caddy), Apache and HAProxy (.txt), else JSON; repeatable',
  ),
  logLevel: setting(
    oneOf(['debug', 'info', 'warn', 'error', 'silent']),
    '<level>',
    `debug, info, warn, error, silent (${usualLevel})`,
    { option: 'log' },
  ),
  flushInterval: setting(
    duration(),
    '<time>',
    `how often the store is written (${usual.flushIntervalMs})`,
    { option: 'flushIntervalMs' },
  ),
};

export type SettingName = keyof typeof settings;

type KindsOfSettings = { [Name in SettingName]: (typeof settings)[Name]['kind'] };
export type Settings = Partial<ValuesOf<KindsOfSettings>>;

/** Returns the names of the settings of one command. */
export function settingsFor(serving: Serving): SettingName[] {
  const rows = Object.entries<Setting>(settings);
  const own = rows.filter(([, { of = serving }]) => of === serving);
  return own.map(([name]) => name as SettingName);
}

export function meaningFor(serving: Serving, name: SettingName): string {
  const { meaning }: Setting = settings[name];
  return typeof meaning === 'string' ? meaning : meaning[serving];
}

/** For error messages about library options: by the option's name, the flag that sets it, if they differ in name. */
export const settingFlags: FlagNames = {
  ...Object.fromEntries(
    Object.entries<Setting>(settings).flatMap(([name, { option }]) =>
      option === undefined ? [] : [[option, flagOf(name)]],
    ),
  ),
  tls: '--tls-key and --tls-cert', // two settings make up this option
};
