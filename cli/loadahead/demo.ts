// `loadahead demo`, which `npm start` runs: what hints save a visitor, then a page loaded by several ways, on this
// machine; the load by one of them as HAR and waterfall.

import { mkdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { loadPage } from '../../loader/loader.ts';
import { toHar } from '../../loader/report/har.ts';
import { renderWaterfallSvg } from '../../loader/report/waterfall-svg.ts';
import { version } from '../../process/version.ts';
import { createOrigin } from '../../server/origin/origin.ts';
import { CommandError } from '../command-error.ts';
import { renderComparison } from '../compare/comparison-text.ts';
import { rowsOf } from '../compare/figures.ts';
import { compareLoads, type Plan } from '../compare/runs.ts';
import { terminal } from '../output-terminal.ts';
import { demoClicks } from './demo-clicks.ts';
import { fixture } from './fixture.ts';
import { runLoads } from './run-loads.ts';

const plan: Plan = {
  site: fixture('microscape'),
  server: 'own',
  links: [null],
  ways: ['persistent', 'pipelined', 'h2', 'auto'],
  visits: ['first', 'revalidate'],
  runs: 3,
  browser: null,
  packets: null,
};

/** Runs the command. @returns the exit code: 1 if a resource of the page failed */
export async function demo({ out, keep }: { out: string; keep?: boolean }): Promise<number> {
  await makeFolder(out);
  const say = (line: string) => void process.stdout.write(`${line}\n`);
  let exitCode = 0;
  await demoClicks({ folder: fixture('twelve-pages'), keep: keep === true, say }, async () => {
    say('\nThe loader: 42 KB of HTML with 42 images, from a server on this machine.\n');
    const combinations = await runLoads(false, (tell, signal) => compareLoads(plan, tell, signal));
    const rows = rowsOf(combinations, plan.links);
    process.stdout.write(renderComparison(rows, terminal(process.stdout).columns));
    if (rows.some(({ error }) => error !== null)) exitCode = 1;
    say('\nmedians of 3 loads; writes: those that carried requests. More: loadahead compare');
    await writeReports(out, say);
  });
  return exitCode;
}

async function writeReports(out: string, say: (line: string) => void): Promise<void> {
  const origin = createOrigin(plan.site);
  const [har, svg] = [join(out, 'microscape.har'), join(out, 'microscape.svg')];
  try {
    const page = await loadPage((await origin.listen()).url, { protocol: 'pipelined' });
    await writeFile(har, JSON.stringify(toHar(page, { creatorVersion: version }), null, 2));
    await writeFile(svg, renderWaterfallSvg(page));
  } catch (cause) {
    throw new CommandError(`--out: ${(cause as Error).message}`, 2, { cause });
  } finally {
    await origin.close();
  }
  say(`\nwaterfall of a pipelined load: ${svg}`);
  say(`the same as HTTP Archive:      ${har}`);
}

/** Creates the folder for results, one level only, because mkdir with `recursive` never ends in /proc. */
async function makeFolder(out: string): Promise<void> {
  const found = await stat(out).catch(() => null);
  if (found?.isDirectory()) return;
  if (found !== null) throw new CommandError(`--out: ${out} is no folder`, 2);
  const parent = await stat(dirname(out)).catch(() => null);
  if (!parent?.isDirectory()) {
    throw new CommandError(`--out: the folder ${dirname(out)} does not exist`, 2);
  }
  await mkdir(out).catch((cause: Error) => {
    throw new CommandError(`--out: ${cause.message}`, 2, { cause });
  });
}
