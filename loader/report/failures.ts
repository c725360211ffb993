// Finds the records of the page's own requests (the first one and its redirects), and lists the resources that failed,
// with their reasons, for the terminal reports.

import type { PageLoad, ResourceRecord } from '../page-load.ts';
import { clipMiddle, printableText, shortName, wrapText } from './printable.ts';
import type { Paint } from './terminal.ts';
import { formatCount } from './units.ts';

/** Returns the records of the page itself: that of the first request, then that of each redirect target. */
export function pageHops(load: PageLoad): ResourceRecord[] {
  const hops: ResourceRecord[] = [];
  const left = new Set(load.resources);
  let next = load.resources[0];
  while (next !== undefined) {
    hops.push(next);
    left.delete(next);
    const target: string | null = next.redirectUrl;
    next = target === null ? undefined : [...left].find((resource) => resource.url === target);
  }
  return hops;
}

/** Whether a resource has an error or a status of 400 or more. */
export function hasFailed(resource: ResourceRecord): boolean {
  return resource.error !== null || (resource.status ?? 0) >= 400;
}

const shownFailures = 12;
const shownMessageCharacters = 400;

/** Renders an empty line, the number of failures, and each failure, in at most `columns`; [] if nothing failed. */
export function failureLines(
  resources: readonly ResourceRecord[],
  load: PageLoad,
  columns: number,
  paint: Paint,
): string[] {
  const failed = resources.filter(hasFailed);
  if (failed.length === 0) return [];
  const lines = failed.slice(0, shownFailures).flatMap((resource) => {
    const reason = clipMiddle(statusOf(resource), columns - 2);
    const name = clipMiddle(shortName(resource.url, load.url), columns - 2);
    const oneLine = 2 + reason.length + 2 + name.length <= columns;
    const head = `  ${paint('red', reason)}${oneLine ? '  ' : '\n  '}${name}`;
    const message = messageOf(resource);
    const news = message === statusOf(resource) ? '' : message;
    return [head, ...wrapText(news, columns - 4).map((line) => `    ${line}`)];
  });
  const left = failed.length - shownFailures;
  if (left > 0) lines.push(`  and ${formatCount(left)} more`.slice(0, columns));
  const title = `${formatCount(failed.length)} failed (an error, or a status from 400 up)`;
  return ['', paint(['bold', 'red'], clipMiddle(title, columns)), ...lines];
}

export function messageOf({ error }: ResourceRecord): string {
  return printableText(error?.message ?? '').slice(0, shownMessageCharacters);
}

/** Says how a request ended: `200 OK`, `404 Not Found`, `connection-lost`, `200 OK, length-mismatch`. */
export function statusOf(resource: ResourceRecord): string {
  const { status, statusText, error } = resource;
  const parts: string[] = [];
  if (status !== null) parts.push(printableText(`${status} ${statusText}`));
  if (error !== null && error.code !== 'http-status') parts.push(error.code);
  return parts.join(', ') || (resource.fromCache ? 'from cache' : 'no response');
}
