// Which command lines are worth a connection before they are read properly.

import { expect, it } from 'vitest';
import { earlyTarget } from '../../../cli/loadahead/early-target.ts';

it.each([
  [['load', 'http://a.test/x'], 'http://a.test/x'],
  [['load', '--json', '--har', 'a.har', ' https://a.test:8443/ '], 'https://a.test:8443/'],
  [['load', '--header', 'Via: http', 'http://a.test/'], 'http://a.test/'],
  [['load', 'http://172.32.0.1/'], 'http://172.32.0.1/'],
  [['load', 'http://[2001:db8::1]/'], 'http://[2001:db8::1]/'],
  [['load', 'http://10.example/'], 'http://10.example/'],
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
  [['load', 'http://localhost:8080/']],
  [['load', 'http://printer.local/']],
  [['load', 'http://127.0.0.1/']],
  [['load', 'http://10.1.2.3/']],
  [['load', 'http://172.31.0.1/']],
  [['load', 'http://192.168.0.1/']],
  [['load', 'http://[::1]:80/']],
  [['load', 'http://[fd00::1]/']],
  [['load', 'http://[fe80::1]/']],
])('%j: none', (args) => {
  expect(earlyTarget(args)).toBe(null);
});
