// All formats, and detection of a file's format. The one that reads the most of the first lines wins; on a tie, the
// more specific one, which is listed first.

import type { LogFormat } from '../log-format.ts';
import { awsAlb } from './aws-alb.ts';
import { caddyJson } from './caddy-json.ts';
import { clf } from './clf.ts';
import { cloudflare } from './cloudflare.ts';
import { cloudfront } from './cloudfront.ts';
import { combined } from './combined.ts';
import { epa } from './epa.ts';
import { haproxy } from './haproxy.ts';
import { nginxJson } from './nginx-json.ts';
import { squid } from './squid.ts';
import { traefik } from './traefik.ts';
import { traefikJson } from './traefik-json.ts';
import { vhostCombined } from './vhost-combined.ts';
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
  awsAlb,
  haproxy,
  squid,
];

/** The format of a file by its first lines; undefined if no format reads any of them. */
export function detectFormat(firstLines: readonly string[]): LogFormat | undefined {
  let best: LogFormat | undefined;
  let bestScore = 0;
  for (const format of logFormats) {
    const score = format.detect(firstLines);
    if (score > bestScore) {
      best = format;
      bestScore = score;
    }
  }
  return best;
}

export function formatByName(name: string): LogFormat | undefined {
  return logFormats.find((format) => format.name === name);
}
