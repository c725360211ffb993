// The configuration file and the settings behind flags, variables and file.

import { expect, it } from 'vitest';
import { flagOf } from '../../../cli/command-error.ts';
import {
  parseConfig,
  readConfigFile,
  settingOfText,
} from '../../../cli/prefetchd/read-settings.ts';
import {
  type Serving,
  type Setting,
  type SettingName,
  settings,
  settingsFor,
} from '../../../cli/prefetchd/settings.ts';
import type { Table } from '../../../options/options.ts';
import { prefetchdTable } from '../../../prefetchd/engine/prefetchd-options.ts';
import { hintsTable } from '../../../server/hints/hint-options.ts';
import { proxyTable } from '../../../server/proxy/proxy.ts';
import { proxyRules } from '../../../server/proxy/upstream-limits.ts';

it('every setting can stand in the file', () => {
  const all = {
    port: 7734,
    host: 'unix:/run/a.sock',
    store: 'sqlite:site.db',
    predictor: 'dependency-graph',
    threshold: 0.4,
    window: 3,
    limit: null,
    minClients: 2,
    trial: 'everywhere',
    sites: ['shop.example', 'blog.example'],
    respectGpc: true,
    halfLife: '7d',
    flushInterval: '500ms',
    query: ['page'],
    deny: ['rate', '/private'],
    allow: ['/cart-racing'],
    origin: 'https://example.org',
    prefix: '/shop',
    token: 'a-token-of-the-tests',
    trust: ['10.0.0.0/8'],
    logLevel: 'warn',
    follow: ['/var/log/a, b.log'],
    format: 'combined',
    hintsFile: ['hints.json', 'hints.map'],
    holdback: 10,
    otherLinks: 'moderate',
    prerender: 'immediate',
    upstream: 'http://127.0.0.1:8080',
    adminPort: 7733,
    maxConnections: 5000,
    maxRequestBodyBytes: 1_000_000,
    requestTimeout: 'inf',
    beacon: 'inject',
    changeOrigin: true,
    ca: 'ca.pem',
    tlsKey: 'key.pem',
    tlsCert: 'cert.pem',
    responseTimeout: '2m',
    earlyHints: true,
    speculationRules: '/rules.js',
    dictionaries: true,
  };
  const names = Object.keys(settings) as SettingName[];
  expect(Object.keys(all).sort()).toEqual(names.toSorted());
  const $schema = 'https://example.org/prefetchd.schema.json';
  expect(parseConfig(JSON.stringify({ $schema, ...all }), 'a.json', names)).toEqual({
    ...all,
    requestTimeout: null,
    halfLife: 7 * 86_400_000,
    flushInterval: 500,
    responseTimeout: 120_000,
  });
});

it.each<[content: string, message: string | RegExp, command?: Serving]>([
  ['{"treshold": 0.4}', 'a.json: treshold is unknown; did you mean threshold?'],
  ['{"colour": "red"}', /^a\.json: colour is unknown; there are \$schema, port, /],
  ['{"threshold": "0.4"}', 'a.json: threshold must be a number from 0 to 2, not the string "0.4"'],
  ['{"threshold": 7}', 'a.json: threshold must be a number from 0 to 2, not 7'],
  ['{"window": 2.5}', 'a.json: window must be a whole number from 2 to 100, not 2.5'],
  ['{"limit": "none"}', /limit must be a whole number from 1 to 10000, or inf, not the string/],
  ['{"halfLife": 7}', /halfLife must be a time of at least 1ms, .* or 7d, or inf, not 7$/],
  ['{"deny": "rate"}', /deny must be a list of words and paths, not the string "rate"$/],
  ['{"deny": ["a", 1]}', /^a\.json: deny\[1\] must be a word of letters, or a path .*, not 1$/],
  ['{"logLevel": "loud"}', /logLevel must be debug, info, .* or silent, not "loud"/],
  ['{"token": 123456}', /^a\.json: token must be 16 to 512 [\w ,@]+$/],
  ['{"token": "too short"}', /^a\.json: token must be 16 to 512 [\w ,@]+$/],
  [
    '{"store": "mysql://u:secret@a"}',
    /^a\.json: store must be memory, sqlite:FILE or (?!.*secret)/,
  ],
  ['{"__proto__": {"port": 1}}', /^a\.json: __proto__ is unknown/],
  ['{"toString": 1}', /^a\.json: toString is unknown/],
  ['{"maxConnections": "many"}', /maxConnections must be a whole number from 1 .*string "many"$/],
  ['[]', 'a.json: it must be an object, not a list'],
  ['null', 'a.json: it must be an object, not null'],
  ['{\n  "port": 1,\n}', /^a\.json is not JSON: .*line 3 column 1/],
  // What is of the other command: no setting is lost without a word.
  ['{"upstream": "http://a"}', /upstream is unknown/],
  ['{"token": "a"}', /token is unknown/, 'proxy'],
  ['{"earlyHints": 1}', 'a.json: earlyHints must be h2, on or off, not 1', 'proxy'],
  ['{"earlyHints": "constructor"}', /earlyHints must be h2, on or off/, 'proxy'],
  ['{"speculationRules": "rules"}', /must be on, off or a path that begins with \/, not/, 'proxy'],
  ['{"responseTimeout": 60}', /responseTimeout must be a time from 10ms to/, 'proxy'],
])('%s is refused with its place', (content, message, command = 'serve') => {
  expect(() => parseConfig(content, 'a.json', settingsFor(command))).toThrow(
    expect.objectContaining({ code: 'config-unreadable', message: expect.stringMatching(message) }),
  );
});

it('a file that is not there is told', async () => {
  await expect(readConfigFile('/nowhere/a.json')).rejects.toMatchObject({
    code: 'config-unreadable',
    message: '/nowhere/a.json cannot be read: there is no such file',
  });
});

it.each([
  ['halfLife', '7d', 604_800_000],
  ['halfLife', '1.5h', 5_400_000],
  ['halfLife', 'inf', Number.POSITIVE_INFINITY],
  ['halfLife', '7', undefined],
  ['halfLife', '-7d', undefined],
  ['flushInterval', '250ms', 250],
  ['flushInterval', 'inf', undefined],
  ['limit', 'inf', Number.POSITIVE_INFINITY],
  ['threshold', '.5', 0.5],
  ['threshold', '1e3', undefined],
  ['query', 'strip', 'strip'],
  ['respectGpc', 'off', false],
  ['speculationRules', 'on', true],
  ['speculationRules', 'rules.json', undefined],
  ['earlyHints', 'on', true],
  ['earlyHints', 'h2', 'h2'],
  ['earlyHints', 'toString', undefined],
  ['respectGpc', 'constructor', undefined],
  ['query', 'page,lang', ['page', 'lang']],
  ['deny', 'rate, /private', ['rate', '/private']],
] as const)('%s as text: %s', (name, text, value) => {
  const read = () => settingOfText(name, text, undefined);
  if (value === undefined) expect(read).toThrow(/^It must be /);
  else expect(read()).toEqual(value);
});

it('a setting has the name of the flag in the row of its option', () => {
  const rows: Table = { ...hintsTable, ...proxyTable, ...proxyRules, ...prefetchdTable };
  for (const [name, { option = '' }] of Object.entries<Setting>(settings)) {
    const { flag } = rows[option] ?? {};
    if (flag && option !== 'tls') expect(flag.split(' ')[0]).toBe(flagOf(name));
  }
});
