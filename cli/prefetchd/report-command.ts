// `prefetchd report`: asks a running service how visitors with hints fared against those without (--holdback).

import type { HoldbackReport } from '../../prefetchd/holdback/report.ts';
import { reportText } from '../../prefetchd/holdback/report-text.ts';
import { CommandError } from '../command-error.ts';

export interface ReportFlags {
  url: string;
  token?: string;
  json?: boolean;
}

const longestAnswerMs = 10_000;

/** Runs `prefetchd report`. @returns the exit code */
export async function showReport({ url, token, json }: ReportFlags): Promise<number> {
  const report = await askedReport(url, token);
  process.stdout.write(json ? `${JSON.stringify(report, null, 2)}\n` : reportText(report));
  return 0;
}

async function askedReport(url: string, token: string | undefined): Promise<HoldbackReport> {
  const place = URL.canParse(url) ? new URL('/v1/report', url) : null;
  if (place === null || !/^https?:$/.test(place.protocol)) {
    throw new CommandError(`--url must be the address of a service, http://host:port, not ${url}`);
  }
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const signal = AbortSignal.timeout(longestAnswerMs);
  let answer: Response;
  try {
    answer = await fetch(place, { headers, signal });
  } catch (cause) {
    const { message } = ((cause as Error).cause ?? cause) as Error;
    const remedy = 'start prefetchd serve there, or name its address with --url';
    throw new CommandError(`no service answers at ${place.origin}: ${message}; ${remedy}`, 1, {
      cause,
    });
  }
  const body = await answer.json().catch(() => null);
  if (answer.ok && body !== null) return body as HoldbackReport;
  const detail = (body as { detail?: string } | null)?.detail;
  const why =
    detail ??
    `${place.origin} answered ${answer.status}: it is no prefetchd; a proxy has reports at its --admin-port`;
  throw new CommandError(why, 1);
}
