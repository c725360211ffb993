// Who is no visitor, by what a request says of itself. The kept list is isbot's; beside it stand the
// programs that only ask whether the site lives, which are told apart to be counted apart.

import { isbot } from 'isbot';

export type AgentVerdict = 'bot' | 'monitor' | 'visitor';

/** A user agent is looked at only so far: what comes later identifies nobody. */
const longestUserAgent = 1024;

const monitors =
  /monitor|uptime|pingdom|statuscake|site24x7|nagios|icinga|zabbix|check_http|health-?check|kube-probe|blackbox.?exporter|prometheus|googlehc|newrelic|datadog|gomez|catchpoint|keynote|updown\.io|betterstack|hetrixtools/i;

/** `userAgent` empty: the client sent none, which no browser does. */
export function verdictOfUserAgent(userAgent: string): AgentVerdict {
  const text = userAgent.slice(0, longestUserAgent);
  if (text === '') return 'bot';
  if (monitors.test(text)) return 'monitor';
  return isbot(text) ? 'bot' : 'visitor';
}
