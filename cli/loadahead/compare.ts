// `loadahead compare SITE`: loads a page in several ways (protocols) over several networks and shows what each cost.

import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { chromiums, findChromium } from '../chromium.ts';
import { CommandError } from '../command-error.ts';
import { comparisonMarkdown, comparisonSvg, renderComparison } from '../compare/comparison-text.ts';
import { isOnPath, whyNoLink, whyNoPackage } from '../compare/emulated-link.ts';
import { rowsOf } from '../compare/figures.ts';
import { type LinkSettings, parseLinks } from '../compare/links.ts';
import type { CompareVisit } from '../compare/load-worker.ts';
import { compareLoads, type Plan, servers, wayNames } from '../compare/runs.ts';
import { namesIn } from '../flag-values.ts';
import { terminal } from '../output-terminal.ts';
import { fixture } from './fixture.ts';
import { checkOutput, writeOutput } from './output-file.ts';
import { readRecordedPage } from './recorded-page.ts';
import { checkRuns, runLoads } from './run-loads.ts';

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
  const site = !existsSync(named) && /^[\w-]+$/.test(named) ? fixture(named) : named;
  const found = await stat(site).catch(() => null);
  if (found === null) {
    throw new CommandError(
      `${named}: there is no such folder, no such recorded page (loadahead record), and no such fixture (microscape)`,
      2,
    );
  }
  if (found.isFile()) {
    if (flags.server !== 'own') {
      throw new CommandError(
        `--server ${flags.server} serves a folder; a recorded page needs own`,
        2,
      );
    }
    await readRecordedPage(site); // throws if something is wrong with the recorded page
  }
  checkRuns(flags.runs);
  await checkOutput('--markdown', flags.markdown);
  await checkOutput('--svg', flags.svg);
  const browser = flags.browser === undefined ? null : chromiumOf(flags.browser);
  const plan = {
    site,
    server: serverOf(flags),
    links: linksOf(flags),
    ways: [
      ...namesIn('--ways', flags.ways, wayNames),
      ...(browser === null ? [] : (['chromium'] as const)),
    ],
    visits: namesIn<CompareVisit>('--visits', flags.visits, ['first', 'revalidate']),
    runs: flags.runs,
    browser,
    packets: await packetsFolder(flags.packets),
  };
  const combinations = await runLoads(flags.json === true, (say, signal) =>
    compareLoads(plan, say, signal),
  );
  const rows = rowsOf(combinations, plan.links);
  if (flags.json) process.stdout.write(`${JSON.stringify({ site, rows }, null, 2)}\n`);
  else process.stdout.write(renderComparison(rows, terminal(process.stdout).columns));
  if (flags.markdown) await writeOutput(flags.markdown, comparisonMarkdown(rows), '--markdown');
  if (flags.svg) await writeOutput(flags.svg, comparisonSvg(rows), '--svg');
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

function serverOf({ server }: CompareFlags): Plan['server'] {
  const names = Object.keys(servers) as Plan['server'][];
  const [name = 'own'] = namesIn('--server', [server], names);
  const program = servers[name];
  if (program === null || isOnPath(program)) return name;
  throw new CommandError(`--server ${name}: the program ${program} is not on the PATH`, 2);
}

/** Finds the program of a browser by its name. @throws CommandError */
function chromiumOf(name: string): string {
  if (name !== 'chromium') {
    throw new CommandError(`--browser must be chromium; not ${JSON.stringify(name)}`, 2);
  }
  const program = findChromium();
  if (program === null) throw new CommandError(`--browser: none of ${chromiums.join(', ')}`, 2);
  const missing = whyNoPackage('playwright-core');
  if (missing !== null) throw new CommandError(`--browser: ${missing}`, 2);
  return program;
}

async function packetsFolder(folder: string | undefined): Promise<string | null> {
  if (folder === undefined) return null;
  if ((await stat(folder).catch(() => null))?.isDirectory()) return folder;
  throw new CommandError(`--packets: there is no folder ${folder}`, 2);
}
