// Lists all formats, and detects a file's format, its layout and the prefix of its lines. The format that reads the
// most of the first lines wins; on a tie, the more specific one, which is listed first.

import { type LogFormat, shareRead } from '../log-format.ts';
import { clf, combined, epa, vhostCombined } from './common-log.ts';
import { fieldFormats } from './field-formats.ts';
import { haproxy } from './haproxy.ts';
import { type Peeling, peelings } from './prefixes.ts';
import { cloudfront, w3c } from './w3c.ts';

export const logFormats: readonly LogFormat[] = [
  vhostCombined,
  combined,
  clf,
  cloudfront,
  w3c,
  ...fieldFormats,
  haproxy,
  epa,
];

/** Returns the format of a file, with the order of fields in its first lines; undefined if none of `formats` fits. */
export function detectFormat(
  firstLines: readonly string[],
  formats: readonly LogFormat[] = logFormats,
): LogFormat | undefined {
  let best: LogFormat | undefined;
  let bestScore = 0;
  const lines = firstLines.filter((line) => line !== '');
  for (const peeling of peelings(lines).reverse()) {
    const bare = lines.map(peeling.peel);
    for (const format of formats) {
      const score = shareRead(format, bare);
      if (score <= bestScore) continue;
      best = fitted(format, peeling, bare);
      bestScore = score;
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
        parse(line) {
          const bare = peel(line);
          return bare === '' ? undefined : parser.parse(bare);
        },
        layout: parser.layout === undefined ? behind : `${behind}: ${parser.layout}`,
      };
    },
  };
}

export function formatByName(name: string): LogFormat | undefined {
  return logFormats.find((format) => format.name === name);
}
