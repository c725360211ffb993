// Commands and flags, their help, and what a wrong one is answered with. Exit codes: 0 done, 1 it
// did not load, 2 bad usage, 130 interrupted.

import { Command, Option } from 'commander';
import { cacheModes } from '../../loader/cache/http-cache.ts';
import { CommandError } from '../command-error.ts';
import { collect, port, share, whole, wholeOrOff } from '../flag-values.ts';
import { runCommand } from '../run-command.ts';

export function runProgram(argv: string[]): Promise<number> {
  return runCommand(argv, {
    name: 'loadahead',
    create: createProgram,
    explain: (error) => (error instanceof CommandError ? error : undefined),
  });
}

function createProgram(setExitCode: (code: number) => void): Command {
  const program = new Command('loadahead')
    .description('Loads web pages the way a good network stack should, and says what they cost.')
    .version('0.1.0')
    .exitOverride()
    .addHelpText(
      'after',
      `
Examples:
  loadahead load https://example.org/
  loadahead load http://localhost:8080/ --protocol pipelined --waterfall page.svg
  loadahead browse http://localhost:8080/ http://localhost:8080/next
  loadahead serve ./public --port 8080
  loadahead demo`,
    );

  const loading = program
    .command('load')
    .description('load a page and all it names; print what everything cost')
    .argument('<url>', 'http or https URL of the page')
    .addOption(
      new Option('--protocol <name>', 'how the page is fetched')
        .choices(['auto', 'http1.0', 'persistent', 'pipelined', 'h2'])
        .default('auto'),
    )
    .option(
      '--connections <n>',
      'connections per origin (http1.0: 4, persistent: 6, auto: 6 to a server far away, else 1)',
      whole,
    )
    .option('--timeout <ms>', 'give up on the page after this time', whole, 120_000)
    .option('--json', 'print the record as JSON instead of the report')
    .option('--har <file>', 'write an HTTP Archive (HAR 1.2); opens in browser devtools')
    .option('--waterfall <file>', 'write the waterfall as SVG')
    .option('--cache <dir>', 'keep responses in this folder, and use what it has')
    .addOption(
      new Option(
        '--cache-mode <mode>',
        'with --cache: by the rules of HTTP, or for instance validate all (no-cache)',
      ).choices(cacheModes),
    )
    .addOption(
      new Option('--images <how>', 'sizes-first: first bytes of all images before the rest of any')
        .choices(['whole', 'sizes-first'])
        .default('whole'),
    )
    .option('--image-first-bytes <n>', 'how many bytes sizes-first asks for (512)', whole);
  requestOptions(loading, "the page's origin")
    .option(
      '--batch-bytes <n>',
      'write buffered requests when they reach this size; "off": no size rule',
      wholeOrOff,
    )
    .option(
      '--batch-delay <ms>',
      'longest wait of a buffered request with --no-flush-on-segment; "off": until the page ends',
      wholeOrOff,
    )
    .option('--no-flush-on-segment', 'do not write what a chunk of HTML yielded when it is scanned')
    .addHelpText(
      'after',
      `
Exit code: 0 when the page loaded (failed resources are in the report), 1 when it did not, 2 on bad usage.

Examples:
  loadahead load https://example.org/ --har page.har --waterfall page.svg
  loadahead load http://localhost:8080/ --protocol h2          HTTP/2 by prior knowledge
  loadahead load http://localhost:8080/ --protocol http1.0 --connections 4
  loadahead load http://localhost:8080/ --json | jq .timing
  loadahead load http://localhost:8080/ --cache .cache         twice: hits and 304s
The robot of 1997 (1,024 byte buffer and a 50 ms timer, no explicit flush):
  loadahead load http://localhost:8080/ --protocol pipelined --batch-bytes 1024 --no-flush-on-segment`,
    )
    .action(async (url: string, flags) => {
      const { load } = await import('./load.ts');
      setExitCode(await load(url, flags));
    });

  const browsing = program
    .command('browse')
    .description('walk pages as a visitor does, without prefetching and with it, and compare')
    .argument('[pages...]', 'URLs, or a file: a URL a line and how long the visitor stays; or JSON')
    .option('--log <file>', "walk a client's path of this access log instead, on --origin")
    .option('--client <name>', 'which client of the log; its address will do')
    .option(
      '--clients <n>',
      'so many clients of the log, as they come, with two pages or more',
      whole,
    )
    .option('--origin <url>', 'the site that paths are of')
    .option('--format <name>', 'format of the log (auto: by its first lines)', 'auto')
    .option('--no-filter', 'of the log, walk what robots and scans asked for, too')
    .option(
      '--think <how>',
      'how long the visitor stays: recorded, none, a time (500, 2s) or a factor (x0.01)',
      'recorded',
    )
    .option('--max-think <time>', 'no stay is longer', '10s')
    .option('--prefetch', 'only the walk with prefetching')
    .option('--no-prefetch', 'only the walk without')
    .option('--min-probability <p>', 'follow hints of at least this probability (0.25)', share)
    .option('--subresources', 'prefetch what prefetched pages need, too')
    .option('--max-bytes <n>', 'prefetch at most so much behind one page (4 MiB)', whole)
    .option('--max-pages <n>', 'pages of one walk, at most', whole, 1_000)
    .addOption(
      new Option('--protocol <name>', 'how pages are fetched')
        .choices(['auto', 'http1.0', 'persistent', 'pipelined', 'h2'])
        .default('auto'),
    )
    .option('--connections <n>', 'connections per origin, as of load', whole)
    .option('--timeout <ms>', 'give up on a page after this time', whole, 120_000)
    .option('--json', 'print the record as JSON instead of the report')
    .option('--timeline <file>', 'write the walks over time as SVG');
  requestOptions(browsing, "the pages' origins")
    .addHelpText(
      'after',
      `
Each walk has an empty cache of its own at the start. Of the two, that without prefetching goes first;
before both the first page is loaded once and not counted: what comes first pays for compiling.
Exit code: 0 when all pages loaded, 1 when one did not load at all, 2 on bad usage.

Examples:
  loadahead browse http://localhost:8080/ http://localhost:8080/guide --think 2s
  loadahead browse walk.txt --timeline walk.svg
  loadahead browse --log access.log --client 192.0.2.7 --origin http://localhost:8080
  loadahead browse --log access.log --clients 20 --origin http://localhost:8080 --think x0.05`,
    )
    .action(async (pages: string[], flags) => {
      const { browse } = await import('./browse.ts');
      setExitCode(await browse(pages, flags));
    });

  program
    .command('serve')
    .description('serve a folder: strong validators, ranges, content codings, coalesced responses')
    .argument('<dir>', 'the folder')
    .option('--port <n>', 'TCP port; 0 takes a free one', port, 8080)
    .option('--host <name>', 'address to listen on', '127.0.0.1')
    .option('--max-age <seconds>', 'Cache-Control: max-age for all files', whole)
    .option('--requests-per-connection <n>', 'close a connection after this many', whole)
    .option('--tls-key <file>', 'private key in PEM: serve https (h2 and http/1.1 by ALPN)')
    .option('--tls-cert <file>', 'certificate in PEM, with --tls-key')
    .addHelpText(
      'after',
      `
Prints "listening on URL" when ready; ends on SIGINT or SIGTERM, after what is in flight.

Examples:
  loadahead serve ./public
  loadahead serve ./public --port 0 --host ::1
  loadahead serve ./public --port 8443 --tls-key key.pem --tls-cert cert.pem`,
    )
    .action(async (dir: string, flags) => {
      const { serve } = await import('./serve.ts');
      setExitCode(await serve(dir, flags));
    });

  program
    .command('demo')
    .description('load a page of 1997 over each protocol, walk a site with prefetching; all here')
    .option('--out <dir>', 'where the HAR and the waterfall are written', 'out')
    .option('--keep', 'leave the walked site and its dashboard running until interrupted')
    .action(async (flags) => {
      const { demo } = await import('./demo.ts');
      setExitCode(await demo(flags));
    });

  return program;
}

/** What is sent with requests, and whom to trust. @param receivers of the header fields */
function requestOptions(command: Command, receivers: string): Command {
  return command
    .option('--header <field>', `send 'Name: value' to ${receivers}; repeatable`, collect)
    .addOption(
      new Option('--headers <set>', 'request headers: few, or what Chromium sends')
        .choices(['minimal', 'browser'])
        .default('minimal'),
    )
    .option('--no-cookies', 'neither keep nor send cookies')
    .option('--ca <file>', 'trust the certificate authorities in this PEM file')
    .option('--insecure', 'accept any certificate; says so on stderr')
    .option('--public-only', 'refuse addresses that are not public, at every redirect');
}
