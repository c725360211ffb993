// `loadahead compare SITE`: loads a page in several ways (protocols) over several networks and shows what each cost.

import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { chromiums, findChromium } from '../chromium.ts';
import { CommandError } from '../command-error.ts';
import { comparisonMarkdown, comparisonSvg, renderComparison } from '../compare/comparison-text.ts';
import { isOnPath, whyNoLink, whyNoPackage } from '../compare/emulated-link.ts';
import { rowsOf } from '../compare/figures.ts';
import { type LinkSettings, parseLinks } from '../compare/links.ts';
import type { CompareVisit } from '../compare/load-worker.ts';
import { compareLoads, type Plan, servers, wayOf } from '../compare/runs.ts';
import { namesIn } from '../flag-values.ts';
import { terminal } from '../output-terminal.ts';
import { fixture } from './fixture.ts';
import { checkOutput, writeOutput } from './output-file.ts';
import { readRecordedPage } from './recorded-page.ts';
import { runLoads } from './run-loads.ts';

export interface CompareFlags {
  browser?: string;
  server: string;
  links: string;
  ways: string[];
  visits: string[];
  runs: number;
  packets?: string;
  json?: boolean;
  markdown?: string;
  svg?: string;
}

/** Runs `loadahead compare`. @returns the exit code: 1 if a resource failed in any of the loads */
export async function compare(named: string, flags: CompareFlags): Promise<number> {
  const { runs, packets = null } = flags;
  const site = !existsSync(named) && /^[\w-]+$/.test(named) ? fixture(named) : named;
  const found = await stat(site).catch(() => null);
  if (found === null) {
    const others = 'no such recorded page (loadahead record), and no such fixture (microscape)';
    throw new CommandError(`${named}: there is no such folder, ${others}`, 2);
  }
  const server = serverOf(flags.server, found.isFile());
  if (found.isFile()) await readRecordedPage(site); // throws if something is wrong with the recorded page
  await checkOutput('--markdown', flags.markdown);
  await checkOutput('--svg', flags.svg);
  await checkOutput('--packets', packets === null ? undefined : join(packets, 'a.pcap'));
  const browser = flags.browser === undefined ? null : chromiumOf(flags.browser);
  const ways = [...new Set(flags.ways)].map(wayOf);
  const codings = ways.map(({ coding }) => coding?.replace('identity', 'plain') ?? 'plain');
  if (server !== 'own') namesIn(`--ways with --server ${server}`, codings, ['plain', 'gzip']);
  if (browser !== null) ways.push({ name: 'chromium', coding: null, options: {} });
  const visits = namesIn<CompareVisit>('--visits', flags.visits, ['first', 'revalidate']);
  const plan = { site, server, links: linksOf(flags), ways, visits, runs, browser, packets };
  const loads = await runLoads(flags.json === true, (...how) => compareLoads(plan, ...how));
  const rows = rowsOf(loads, plan.links);
  try {
    if (flags.markdown) await writeOutput(flags.markdown, comparisonMarkdown(rows), '--markdown');
    if (flags.svg) await writeOutput(flags.svg, comparisonSvg(rows), '--svg');
  } finally {
    if (flags.json) process.stdout.write(`${JSON.stringify({ site, rows }, null, 2)}\n`);
    else process.stdout.write(renderComparison(rows, terminal(process.stdout).columns));
  }
  return rows.some(({ error, completeMs }) => error !== null || completeMs === null) ? 1 : 0;
}

/** Returns the networks to compare; only null, for loopback, if this machine cannot emulate a link. */
function linksOf({ links, packets }: CompareFlags): (LinkSettings | null)[] {
  const asked = parseLinks(links);
  const missing = whyNoLink();
  if (missing === null) return asked;
  if (packets !== undefined) throw new CommandError(`--packets: ${missing}`, 2);
  process.stderr.write(`loadahead: ${missing}; comparing on loopback, without counts of packets\n`);
  return [null];
}

function serverOf(given: string, isRecorded: boolean): Plan['server'] {
  const [name = 'own'] = namesIn('--server', [given], Object.keys(servers) as Plan['server'][]);
  const program = servers[name];
  if (program === null) return name;
  const lacking = [program, 'setpriv'].find((each) => !isOnPath(each));
  const missing = lacking === undefined ? null : `needs the program ${lacking} on the PATH`;
  const why = isRecorded ? 'serves a folder; a recorded page needs own' : missing;
  if (why === null) return name;
  throw new CommandError(`--server ${name} ${why}`, 2);
}

/** Finds the program of a browser by its name. @throws CommandError */
function chromiumOf(name: string): string {
  namesIn('--browser', [name], ['chromium']);
  const program = findChromium();
  const missing = whyNoPackage('playwright-core');
  if (program !== null && missing === null) return program;
  throw new CommandError(`--browser: ${missing ?? `none of ${chromiums.join(', ')}`}`, 2);
}
