// The configuration file and the settings behind flags, variables and file.

import { expect, it } from 'vitest';
import { parseConfig, readConfigFile } from '../../../prefetchd/service/config-file.ts';
import { settingKinds, settingNames } from '../../../prefetchd/service/settings.ts';

it('every setting can stand in the file', () => {
  const all = {
    port: 7734,
    host: '127.0.0.1',
    socket: '/run/a.sock',
    store: 'sqlite:site.db',
    predictor: 'markov',
    threshold: 0.4,
    window: 3,
    limit: null,
    minClients: 2,
    ipv6Prefix: 56,
    halfLife: '7d',
    flushInterval: '500ms',
    query: ['page'],
    deny: ['rate', '/private'],
    allow: ['/cart-racing'],
    origin: 'https://example.org',
    token: 'a-token-of-the-tests',
    tokenFile: 'token',
    trust: ['10.0.0.0/8'],
    dashboard: false,
    logLevel: 'warn',
    follow: ['/var/log/a, b.log'],
    followFrom: 'start',
    format: 'combined',
    hintsFile: 'hints.json',
    hintsMap: 'hints.map',
    hintsPages: 500,
    upstream: 'http://127.0.0.1:8080',
    adminPort: 7733,
    maxConnections: 5000,
    maxConnectionsPerAddress: 500,
    maxUpstreamConnections: 1000,
    responseTimeout: '2m',
    forwarded: 'replace',
    earlyHints: true,
    speculationRules: '/rules.json',
    speculationScript: '/rules.js',
    hintHeader: 'on-request',
  };
  const names = Object.keys(settingKinds) as (keyof typeof settingKinds)[];
  expect(Object.keys(all).sort()).toEqual(names.toSorted());
  expect(parseConfig(JSON.stringify(all), 'a.json', names)).toEqual({
    ...all,
    halfLife: 7 * 86_400_000,
    flushInterval: 500,
    responseTimeout: 120_000,
    hintHeader: 'on request',
  });
});

it.each([
  ['{"treshold": 0.4}', /^a\.json: treshold is unknown; there are port, /],
  ['{"threshold": "0.4"}', 'a.json: threshold must be a number between 0 and 1, not "0.4"'],
  ['{"threshold": 2}', 'a.json: threshold must be a number between 0 and 1, not 2'],
  ['{"threshold": -1}', 'a.json: threshold must be a number between 0 and 1, not -1'],
  ['{"limit": "none"}', 'a.json: limit must be a number, or inf, not "none"'],
  ['{"halfLife": 7}', 'a.json: halfLife must be a time such as 12h or 7d, or inf, not 7'],
  ['{"deny": "rate"}', 'a.json: deny must be a list of texts, not "rate"'],
  ['{"deny": [1]}', /^a\.json: deny must be a list of texts, not \[1\]$/],
  ['{"logLevel": "loud"}', /logLevel must be one of debug, /],
  ['{"token": 123456}', 'a.json: token must be a text'],
  ['{"__proto__": {"port": 1}}', /^a\.json: __proto__ is unknown/],
  ['{"maxConnections": "many"}', 'a.json: maxConnections must be a number, not "many"'],
  ['[]', 'a.json must be a JSON object'],
  ['null', 'a.json must be a JSON object'],
  ['{\n  "port": 1,\n}', /^a\.json is no JSON: .*line 3 column 1/],
])('%s is refused with its place', (content, message) => {
  expect(() => parseConfig(content, 'a.json')).toThrow(
    expect.objectContaining({ code: 'config-unreadable', message: expect.stringMatching(message) }),
  );
});

it('what is of the other command is refused: no setting is lost without a word', () => {
  expect(() => parseConfig('{"upstream": "http://a"}', 'a.json')).toThrow(/upstream is unknown/);
  expect(() => parseConfig('{"token": "a"}', 'a.json', settingNames.proxy)).toThrow(
    /token is unknown/,
  );
});

it.each([
  ['{"forwarded": "all"}', 'a.json: forwarded must be trusted, append, replace or none, not "all"'],
  ['{"earlyHints": 1}', 'a.json: earlyHints must be h2, on or off, not 1'],
  ['{"earlyHints": "constructor"}', /earlyHints must be h2, on or off/],
  [
    '{"speculationRules": "rules"}',
    /speculationRules must be on, off or a path that begins with \//,
  ],
  ['{"speculationScript": true}', /speculationScript must be a path that begins with \//],
  ['{"responseTimeout": 60}', /responseTimeout must be a time such as/],
])('of the proxy, %s is refused with its place', (content, message) => {
  expect(() => parseConfig(content, 'a.json', settingNames.proxy)).toThrow(
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
  ['halfLife', 'inf', null],
  ['halfLife', '7', undefined],
  ['halfLife', '-7d', undefined],
  ['flushInterval', '250ms', 250],
  ['flushInterval', 'inf', undefined],
  ['limit', 'inf', null],
  ['limit', '3', 3],
  ['threshold', '.5', 0.5],
  ['threshold', '1e3', undefined],
  ['query', 'strip', 'strip'],
  ['dashboard', 'off', false],
  ['speculationRules', 'on', true],
  ['speculationRules', '/rules.json', '/rules.json'],
  ['speculationRules', 'rules.json', undefined],
  ['earlyHints', 'on', true],
  ['earlyHints', 'h2', 'h2'],
  ['earlyHints', 'toString', undefined],
  ['hintHeader', 'on-request', 'on request'],
  ['hintHeader', 'off', false],
  ['forwarded', 'trusted', 'trusted'],
  ['dashboard', 'constructor', undefined],
  ['query', 'page,lang', ['page', 'lang']],
  ['deny', 'rate, /private', ['rate', '/private']],
] as const)('%s as text: %s', (name, text, value) => {
  expect(settingKinds[name].ofText(text)).toEqual(value);
});
