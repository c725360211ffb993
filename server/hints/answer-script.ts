// Serves the script for browsers without speculation rules (prefetchd/wire/prefetch-script.ts) at a path of the
// site's choice, so that a page only needs `<script src="/prefetch.js" async></script>`.

import {
  prefetchScriptCaching,
  prefetchScriptOf,
  prefetchScriptType,
} from '../../prefetchd/wire/prefetch-script.ts';
import type { Request, Response } from '../listen/handler.ts';
import { mountOf } from './hint-fields.ts';
import type { CheckedRulesDocument } from './hint-options.ts';

/** Answers a request for the script. @returns true if it was one */
export function answerScript(
  req: Request,
  res: Response,
  target: string,
  rules: CheckedRulesDocument | null,
): boolean {
  if (rules === null || rules.script === null) return false;
  if (req.method !== 'GET' && req.method !== 'HEAD') return false;
  const path = mountOf(req) + rules.script;
  if (!target.startsWith(path) || !['', '?'].includes(target.charAt(path.length))) return false;
  // Relative to the script, whatever a proxy in front puts before both.
  const up = '../'.repeat(rules.script.split('/').length - 2);
  const body = prefetchScriptOf(`./${up}${rules.path.slice(1)}`);
  res.statusCode = 200;
  res.setHeader('Content-Type', prefetchScriptType);
  res.setHeader('Content-Length', String(Buffer.byteLength(body)));
  res.setHeader('Cache-Control', prefetchScriptCaching);
  res.setHeader('X-Content-Type-Options', 'nosniff');
  res.end(req.method === 'HEAD' ? '' : body);
  return true;
}
