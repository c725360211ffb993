// All formats, and detection of a file's format, its layout and the prefix of its lines. The format that reads the most
// of the first lines wins; on a tie, the more specific one, which is listed first.

import { type LogFormat, shareRead } from '../log-format.ts';
import { caddyJson } from './caddy-json.ts';
import { cloudflare } from './cloudflare.ts';
import { cloudfront } from './cloudfront.ts';
import { clf, combined, traefik, vhostCombined } from './combined.ts';
import { epa } from './epa.ts';
import { haproxy } from './haproxy.ts';
import { inferred } from './inferred.ts';
import { nginxJson } from './nginx-json.ts';
import { type Peeling, peelings } from './prefixes.ts';
import { squid } from './squid.ts';
import { tableFormats } from './table-formats.ts';
import { traefikJson } from './traefik-json.ts';
import { w3c } from './w3c.ts';

export const logFormats: readonly LogFormat[] = [
  vhostCombined,
  traefik,
  combined,
  clf,
  epa,
  caddyJson,
  traefikJson,
  cloudflare,
  nginxJson,
  cloudfront,
  w3c,
  ...tableFormats,
  haproxy,
  squid,
  inferred,
];

/** The format of a file, with the layout that its first lines show; undefined if none of `formats` reads any line. The
 *  meaning of columns is inferred from values only if no other format reads half of the lines. */
export function detectFormat(
  firstLines: readonly string[],
  formats: readonly LogFormat[] = logFormats,
): LogFormat | undefined {
  let best: LogFormat | undefined;
  let bestScore = 0;
  const lines = firstLines.filter((line) => line !== '');
  const candidates = peelings(lines)
    .reverse()
    .map((peeling) => ({ peeling, bare: lines.map(peeling.peel) }));
  for (const isInferred of [false, true]) {
    if (isInferred && bestScore >= 0.5) break;
    for (const { peeling, bare } of candidates) {
      for (const format of formats.filter((each) => (each === inferred) === isInferred)) {
        const score = shareRead(format, bare);
        if (score <= bestScore) continue;
        best = fitted(format, peeling, bare);
        bestScore = score;
      }
    }
  }
  return best;
}

function fitted(format: LogFormat, { names, peel }: Peeling, lines: readonly string[]): LogFormat {
  return {
    ...format,
    createParser() {
      const parser = format.createParser(lines);
      if (names.length === 0) return parser;
      const behind = `behind ${names.join(' and ')}`;
      return {
        parse: (line) => parser.parse(peel(line)),
        layout: parser.layout === undefined ? behind : `${behind}: ${parser.layout}`,
      };
    },
  };
}

export function formatByName(name: string): LogFormat | undefined {
  return logFormats.find((format) => format.name === name);
}
