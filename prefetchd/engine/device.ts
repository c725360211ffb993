// The class of device of a client, by its user agent: browsers of telephones say Mobile (MDN, "Browser detection").

import type { Device } from '../holdback/report.ts';

export function deviceOf(client: string): Device {
  return /\bMobi/.test(client) ? 'mobile' : 'desktop';
}
