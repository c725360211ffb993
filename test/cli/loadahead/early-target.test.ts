// Which command lines are worth a connection before they are read properly.

import { expect, it } from 'vitest';
import { earlyTarget } from '../../../cli/loadahead/early-target.ts';

it.each([
  [['load', 'http://a.test/x'], 'http://a.test/x'],
  [['load', '--json', '--har', 'a.har', ' https://a.test:8443/ '], 'https://a.test:8443/'],
  [['load', '--header', 'Via: http', 'http://a.test/'], 'http://a.test/'],
])('%j: to %s', (args, url) => {
  expect(earlyTarget(args)?.href).toBe(url);
});

it.each([
  [['serve', 'http://a.test/']],
  [['load']],
  [['load', 'ftp://a.test/']],
  [['load', 'http://']],
  [['load', 'http://a.test/', '--public-only']],
  [['load', 'http://a.test/', '--help']],
  [['load', 'http://a.test/', '--cache', 'dir', '--cache-mode', 'only-if-cached']],
  [['load', 'http://a.test/', '--cache-mode=only-if-cached']],
])('%j: none', (args) => {
  expect(earlyTarget(args)).toBe(null);
});
