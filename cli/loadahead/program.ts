// Declares commands and flags of `loadahead` and their help. Exit codes: 0 done, 1 the page did not load, 2 bad usage,
// 130 interrupted.

import { Command, Option } from 'commander';
import { loaderTable, loadPageTable } from '../../loader/options.ts';
import { prefetchTable } from '../../loader/prefetch/prefetch-options.ts';
import { trialTable } from '../../loader/trials/trial-options.ts';
import { walkTable } from '../../loader/walk/walk-options.ts';
import { logTable } from '../../prefetchd/log/log-table.ts';
import { usualHost } from '../../process/listen-on.ts';
import { version } from '../../process/version.ts';
import { originOptions } from '../../server/origin/origin-options.ts';
import { isCommandError } from '../command-error.ts';
import { commaSeparated, port, runs, time, tlsTable, usualText, whole } from '../flag-values.ts';
import { addOptionFlags, optionFlag } from '../option-flags.ts';
import { type CommandAction, runCommand } from '../run-command.ts';
import { addLoaderFlags } from './loader-flags.ts';

/** Longest time that a simulated visitor stays on a page, unless a flag gives another. */
const maxThinkMs = 10_000;

export function runProgram(argv: string[]): Promise<number> {
  return runCommand(argv, {
    name: 'loadahead',
    create: createProgram,
    explain: (error) => (isCommandError(error) ? error : undefined),
  });
}

function createProgram(run: CommandAction): Command {
  const program = new Command('loadahead')
    .description('Loads web pages as a good network stack should, and reports what they cost.')
    .version(version)
    .exitOverride()
    .addHelpText(
      'after',
      `
Examples:
  loadahead load https://example.org/
  loadahead load http://localhost:8080/ --waterfall page.svg
  loadahead audit https://example.org/
  loadahead browse http://localhost:8080/ http://localhost:8080/next
  loadahead serve ./public --port 8080
  loadahead demo`,
    );

  const page = (name: string, description: string) =>
    program
      .command(name)
      .description(description)
      .argument('<url>', 'http or https URL of the page');

  const loading = page('load', 'load a page and its resources; report what each cost')
    .option('--json', 'print the record as JSON instead of the report')
    .option('--runs <n>', 'load it so often; report median, smallest and largest', runs)
    .option('--har <file>', 'write an HTTP Archive (HAR 1.2); opens in browser devtools')
    .option('--har-secrets', 'keep cookies and secret fields in it; by default they are left out')
    .option('--waterfall <file>', 'write the waterfall as SVG')
    .option(
      '--fetch-times <file>',
      'write bytes and ms of each response, for prefetchd simulate --fit',
    )
    .option('--packets <file>', 'capture its packets (pcap): Linux, root or CAP_NET_RAW, koffi')
    .option('--explain', 'say why each resource is fetched, or not')
    .optionsGroup('Cache and images:')
    .option('--cache <dir>', 'HTTP cache in this folder, kept between runs');
  addOptionFlags(loading, loadPageTable, 'cacheMode', 'images');
  addLoaderFlags(loading).optionsGroup('Batches of requests:');
  addOptionFlags(loading, loaderTable, 'batch.maxBytes', 'batch.flush')
    .addHelpText(
      'after',
      `
Exit code: 0 the page loaded (failed resources are in the report), 1 it did
not, 2 bad usage, 130 interrupted.

Examples:
  loadahead load https://example.org/ --har page.har --waterfall page.svg
  loadahead load http://localhost:8080/ --protocol h2
  loadahead load http://localhost:8080/ --protocol http1.0 --connections 4
  loadahead load http://localhost:8080/ --json | jq .timing
  loadahead load http://localhost:8080/ --cache .cache
  loadahead load https://example.org/ --explain --viewport 360x640 --dpr 2
The robot of 1997: a buffer of 1,024 bytes, a timer of 50 ms, no explicit flush:
  loadahead load http://localhost:8080/ --protocol pipelined \\
    --batch-bytes 1024 --batch-flush 50`,
    )
    .action(run(async () => (await import('./load.ts')).load));

  const browsing = program
    .command('browse')
    .description('visit pages in order, without and with prefetching, and compare')
    .argument('[pages...]', 'URLs, or one file: JSON, or lines of a URL and a think time')
    .option('--json', 'print the record as JSON instead of the report')
    .optionsGroup('Visits:')
    .option('--log <file>', "replay a client's path from this access log on --origin")
    .option('--client <name>', 'the client of the log, by name or address')
    .option('--clients <n>', 'the first clients of the log that visited two pages', whole)
    .option('--origin <url>', 'origin for paths')
    .addOption(optionFlag(logTable, 'format'))
    .addOption(optionFlag(logTable, 'filter'))
    .option(
      '--think <how>',
      'think time per page: recorded, none, a time (500, 2s) or a factor (x0.01)',
      'recorded',
    )
    .addOption(
      new Option('--max-think <time>', 'longest think time')
        .argParser(time)
        .default(maxThinkMs, usualText('maxThinkMs', maxThinkMs)),
    );
  addOptionFlags(browsing, walkTable, 'maxPages')
    .optionsGroup('Prefetching:')
    .option('--prefetch', 'only the walk with prefetching')
    .option('--no-prefetch', 'only the walk without');
  addOptionFlags(browsing, prefetchTable, 'threshold', 'subresources', 'maxBytes');
  addLoaderFlags(browsing)
    .addHelpText(
      'after',
      `
Both walks start with an empty cache; the one without prefetching runs first.
The first page is loaded once before both and not counted, as a warm-up.
Exit code: 0 all pages loaded, 1 at least one did not, 2 bad usage,
130 interrupted.

Examples:
  loadahead browse http://localhost:8080/ http://localhost:8080/guide
  loadahead browse walk.txt --think 2s
  loadahead browse --origin http://localhost:8080 --log access.log \\
    --clients 20 --think x0.05`,
    )
    .action(run(async () => (await import('./browse.ts')).browse));

  const auditing = page(
    'audit',
    'load a page and say what would make it faster, with measured savings',
  )
    .option('--json', 'print the advice and the record as JSON')
    .option('--runs <n>', 'load it so often; times and budgets are medians', runs, 1)
    .option('--budget <file>', 'limits in a budget.json, as Lighthouse reads it');
  addOptionFlags(auditing, trialTable, 'convertMs');
  addLoaderFlags(auditing)
    .addHelpText(
      'after',
      `
Each load is a first visit, without a cache. Advice on images needs the package
sharp (npm install sharp).
Exit code: 0 the page loaded (failed resources are in the report) and keeps its
budget, 1 it did not or a budget is exceeded, 2 bad usage, 130 interrupted.
Advice does not change it.

Examples:
  loadahead audit https://example.org/
  loadahead audit http://localhost:8080/ --json | jq .saves
  loadahead audit http://localhost:8080/ --runs 5 --budget budget.json`,
    )
    .action(run(async () => (await import('./audit.ts')).audit));

  const recording = page(
    'record',
    'load a page and keep it with all responses, for serve and audit',
  )
    .requiredOption('--out <file>', 'the recorded page: an HTTP Archive (HAR 1.2) with bodies')
    .option('--secrets', 'keep cookies and secret fields in it; by default they are left out');
  addLoaderFlags(recording)
    .addHelpText(
      'after',
      `
URLs and bodies are kept as they are: look for tokens in them before you share
the file.
Exit code: 0 the page loaded and is kept, 1 it did not, 2 bad usage,
130 interrupted.

Examples:
  loadahead record https://example.org/ --out page.har
  loadahead serve page.har
  loadahead audit page.har`,
    )
    .action(run(async () => (await import('./record.ts')).record));

  program
    .command('compare')
    .description('load a page by several ways over several networks: time, packets, bytes')
    .argument('<site>', 'a folder, a recorded page (loadahead record), or microscape')
    .option(
      '--links <list>',
      'lan, wan, t1, ppp, 3g, 4g, cable, fibre, or as 1.6mbit/150ms/1%: rate, delay each way, loss',
      'lan,wan',
    )
    .option(
      '--ways <list>',
      'http1.0 (4 connections), persistent, pipelined, get-all, h2, auto; changes of the page may follow',
      commaSeparated,
      ['http1.0', 'persistent', 'pipelined', 'h2', 'auto'],
    )
    .option('--visits <list>', 'first, revalidate', commaSeparated, ['first'])
    .option('--server <name>', 'own; for a folder also nginx or apache, of this machine', 'own')
    .option('--browser <name>', 'also with chromium (of this machine; needs playwright-core)')
    .option('--runs <n>', 'how often each is loaded; one more before is not counted', runs, 5)
    .option('--packets <dir>', 'write a capture (pcap) of each network into this folder')
    .option('--json', 'print JSON instead of tables')
    .option('--markdown <file>', 'write the tables as Markdown, with all columns')
    .option('--svg <file>', 'write a chart of the times')
    .addHelpText(
      'after',
      `
The server and the client stand in two network namespaces of this machine, with an
emulated link between; that needs Linux, root and the package koffi. Without, the
page is loaded on loopback, and packets are not counted. All ways have their turn in
each run. The floor is the least time that the network can take for as many bytes on
one connection; slow start lets several be faster. %ov: share of the bytes of TCP
and IP headers.
Changes may follow a way: a coding of all texts (plain, gzip, deflate, zstd), and
without=PART, as --exclude of load has it, for resources that are not loaded.
Settings may follow a network: up=RATE, delay=MS, queue=N, loss=N%, reorder=N%, mtu=N,
window=SEGMENTS, ack=MS (of a client that delays acknowledgments); up-delay, up-queue,
up-loss and up-reorder are those from the client.
Exit code: 0 done, 1 a resource of the page failed, 2 bad usage, 130 interrupted.

Examples:
  loadahead compare microscape
  loadahead compare page.har --ways auto,auto:gzip,auto:without=all-images
  loadahead compare page.har --links 4g,3g --ways persistent,h2,auto --runs 9
  loadahead compare ./public --links ppp --ways http1.0,pipelined --visits first,revalidate
  loadahead compare ./public --links 2mbit/40ms/1% --packets . --svg times.svg
  loadahead compare ./public --links 4g:up=1mbit:reorder=1%,ppp:mtu=576:ack=200ms`,
    )
    .action(run(async () => (await import('./compare.ts')).compare));

  program
    .command('packets')
    .description('show the TCP connections of a packet capture: stalls, retransmissions, a picture')
    .argument('<file>', 'capture of tcpdump or Wireshark (pcap or pcapng); a dash: standard input')
    .option('--svg <file>', 'draw sequence numbers over time, a panel for each connection')
    .option('--list', 'list the packets')
    .option('--json', 'print the facts as JSON; with --list, the packets too')
    .option('--connection <n>', 'only this connection of the table', whole)
    .addHelpText(
      'after',
      `
Exit code: 0 the capture is read, even if it is cut off, 2 bad usage, or a
fault in the file; what is before the fault is shown.

Examples:
  sudo tcpdump -i any -w page.pcap tcp port 8080
  loadahead packets page.pcap
  loadahead packets page.pcap --connection 1 --svg packets.svg`,
    )
    .action(run(async () => (await import('./packets.ts')).packets));

  const serving = program
    .command('serve')
    .description(
      'serve a folder or a recorded page: validators, ranges, codings, dictionaries, Get-All, Hold-Line',
    )
    .argument('<site>', 'the folder, or the file of loadahead record or of a browser (HAR)')
    .option('--port <n>', 'TCP port; 0: any free port', port, 8080)
    .option('--host <name>', 'address to listen on', usualHost);
  addOptionFlags(serving, originOptions, 'maxAgeSeconds', 'maxRequestsPerConnection')
    .option('--no-dictionaries', 'never send a page as its difference to another (RFC 9842)')
    .option('--no-get-all', 'never send a page and what it names in one response')
    .addOption(optionFlag(tlsTable, 'tlsKey'))
    .addOption(optionFlag(tlsTable, 'tlsCert'))
    .option(
      '--study <faults>',
      'in a clone of the repository, be slow on purpose: split-headers, nagle, ...',
      commaSeparated,
    )
    .addHelpText(
      'after',
      `
Prints "listening on URL" when ready. SIGINT or SIGTERM ends it once requests in
flight are answered.

Examples:
  loadahead serve ./public
  loadahead serve page.har
  loadahead serve ./public --port 0 --host ::1
  loadahead serve ./public --port 8443 --tls-key key.pem --tls-cert cert.pem
The server that Heidemann measured in 1996, in a clone of the repository:
  loadahead serve ./public --study split-headers,nagle,small-buffers`,
    )
    .action(run(async () => (await import('./serve.ts')).serve));

  program
    .command('demo')
    .description(
      'click through a site without hints and with them, and load a page, on this machine',
    )
    .option('--out <dir>', 'folder for the HAR and the waterfall', 'out')
    .option('--keep', 'keep the site and its dashboard running until interrupted')
    .action(run(async () => (await import('./demo.ts')).demo));

  return program;
}
