// Detects bots by the user agent, with isbot's list. Monitors, which only check that the site is up, are recognised
// separately so that they can be counted separately.

import { isbot } from 'isbot';

export type AgentVerdict = 'bot' | 'monitor' | 'visitor';

/** Longest part of a user agent examined; later parts identify no bot. */
const longestUserAgent = 1024;

const monitors =
  /monitor|uptime|pingdom|statuscake|site24x7|nagios|icinga|zabbix|check_http|health-?check|kube-probe|blackbox.?exporter|prometheus|googlehc|newrelic|datadog|gomez|catchpoint|keynote|updown\.io|betterstack|hetrixtools/i;

/** `userAgent` is empty if the client sent none, which no browser does. */
export function verdictOfUserAgent(userAgent: string): AgentVerdict {
  const text = userAgent.slice(0, longestUserAgent);
  if (text === '') return 'bot';
  if (monitors.test(text)) return 'monitor';
  return isbot(text) ? 'bot' : 'visitor';
}
