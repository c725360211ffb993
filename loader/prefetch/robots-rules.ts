// robots.txt (RFC 9309): parses the text and decides about URLs. The longest matching rule wins, `allow` on a tie
// (2.2.2). Rules and URLs are compared in a normalized form: unreserved characters (RFC 3986) are unescaped, all
// others but `/` and `?` escaped; in a query these two equal their escapes. Matching is linear in rule and URL.

interface Rule {
  allows: boolean;
  /** The text between wildcards. */
  pieces: string[];
  isAnchored: boolean;
  octets: number;
}

export interface RobotsRules {
  /** @param target Path and query of a URL. */
  allows(target: string): boolean;
}

export const allowsAll: RobotsRules = { allows: () => true };
export const allowsNothing: RobotsRules = { allows: () => false };

/** If one agent has more rules than this, nothing is allowed. */
const mostRules = 10_000;

/** The rules of all groups that name this client; without any, those for all agents. */
export function parseRobots(text: string, token: string): RobotsRules {
  const groups = { own: [] as Rule[], all: [] as Rule[] };
  let isNamed = false;
  let agents: string[] = [];
  let isInRules = false;
  for (const line of text.replace(/^\ufeff/, '').split(/[\r\n]+/)) {
    const [, key = '', value = ''] = /^\s*([a-z-]+)\s*:([^#]*)/i.exec(line) ?? [];
    const name = key.toLowerCase();
    if (name === 'user-agent') {
      if (isInRules) agents = [];
      isInRules = false;
      agents.push(value.trim() === '*' ? '*' : productToken(value.trim()));
      isNamed ||= token !== '' && agents.at(-1) === token;
    } else if (name === 'allow' || name === 'disallow') {
      isInRules = true;
      const rule = ruleOf(name === 'allow', value.trim());
      if (rule === null) continue;
      if (token !== '' && agents.includes(token)) groups.own.push(rule);
      if (agents.includes('*')) groups.all.push(rule);
    }
  }
  const rules = isNamed ? groups.own : groups.all;
  if (rules.length > mostRules) return allowsNothing;
  return { allows: (target) => isAllowed(rules, spelling(target, 'url')) };
}

function isAllowed(rules: readonly Rule[], target: string): boolean {
  let octets = -1;
  let allows = true;
  for (const rule of rules) {
    if (rule.octets < octets || (rule.octets === octets && !rule.allows)) continue;
    if (matches(rule, target)) ({ octets, allows } = rule);
  }
  return allows;
}

/** null: the rule has no effect, like an empty `Disallow:` or a path without a leading slash. */
function ruleOf(allows: boolean, written: string): Rule | null {
  if (!/^[/*]/.test(written)) return null;
  const isAnchored = written.endsWith('$');
  const pattern = isAnchored ? written.slice(0, -1) : written;
  const pieces = spelling(pattern, 'pattern').split('*');
  const octets = pieces.reduce((sum, { length }) => sum + length, pieces.length - 1);
  return { allows, pieces, isAnchored, octets };
}

function matches({ pieces, isAnchored }: Rule, target: string): boolean {
  const [first = '', ...others] = pieces;
  if (!target.startsWith(first)) return false;
  let at = first.length;
  const last = others.pop();
  if (last === undefined) return !isAnchored || at === target.length;
  for (const piece of others) {
    const found = target.indexOf(piece, at);
    if (found === -1) return false;
    at = found + piece.length;
  }
  if (isAnchored) return target.length - last.length >= at && target.endsWith(last);
  return target.indexOf(last, at) !== -1;
}

/** @param of In a pattern `*` is a wildcard, in a URL an ordinary character. */
function spelling(text: string, of: 'pattern' | 'url'): string {
  let isQuery = false;
  // A lone surrogate cannot be encoded in UTF-8.
  return text.toWellFormed().replace(/%[0-9a-f]{2}|./gisu, (part) => {
    if (part === '?') isQuery = true;
    if (part === '/' || part === '?' || (part === '*' && of === 'pattern')) return part;
    if (part.length === 3 && part.startsWith('%')) {
      const character = String.fromCharCode(Number.parseInt(part.slice(1), 16));
      const isBare = /[a-z0-9._~-]/i.test(character) || (isQuery && /[/?]/.test(character));
      return isBare ? character : part.toUpperCase();
    }
    if (/[a-z0-9._~-]/i.test(part)) return part;
    const bytes = [...Buffer.from(part)];
    return bytes.map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('');
  });
}

/** The client's product token (RFC 9309 2.2.1), which begins its User-Agent; '' if there is none. */
export function productToken(userAgent: string): string {
  return (/^[a-z_-]+/i.exec(userAgent)?.[0] ?? '').toLowerCase();
}
