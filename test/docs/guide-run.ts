// One guide while it is followed: a folder, what runs in its terminals, and ports of its own in place of those
// that the guide names.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { openBrowser, reader } from '../browser/set-up.ts';
import { freePort, runToEnd } from '../support/command.ts';
import { eventually } from '../support/eventually.ts';
import { patient, startConfigured } from '../support/nginx.ts';
import { type Block, says } from './fenced-blocks.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
/** Ports that guides name. 8080 of nginx is changed by startExample. */
const ports = ['3000', '3001', '3002', '7733', '8080', '8081'];
/** `until` is given up after this. */
const patienceMs = 15_000;

/** npx as it is without the registry: what is installed here, or nothing. */
const npx =
  'npx() { local command=$1; shift; "./node_modules/.bin/$command" "$@"; }; export -f npx';

export class GuideRun implements AsyncDisposable {
  readonly #folder: string;
  readonly #changes: Readonly<Record<string, string>>;
  readonly #servers: ChildProcess[] = [];
  readonly #nginx: AsyncDisposable[] = [];
  #nginxPort: string | null = null;
  #browser: Browser | null = null;

  private constructor(folder: string, changes: Record<string, string>) {
    this.#folder = folder;
    this.#changes = changes;
  }

  /** @param packages folder that has `node_modules` */
  static async in(folder: string, packages: string): Promise<GuideRun> {
    await mkdir(folder);
    await symlink(join(packages, 'node_modules'), join(folder, 'node_modules'));
    await writeFile(join(folder, 'package.json'), '{ "name": "guide", "private": true }\n');
    const changes: Record<string, string> = {
      '../loadahead/': root,
      '/var/log/nginx/prefetchd.log': join(folder, 'prefetchd.log'),
    };
    for (const port of ports) changes[port] = `${await freePort()}`;
    return new GuideRun(folder, changes);
  }

  /** @param shown the block behind it, if that says what it prints */
  async follow(block: Block, shown: Block | null): Promise<void> {
    const text = this.#own(block.text);
    if (block.file !== null) return writeFile(join(this.#folder, block.file), text);
    const expect = shown === null ? null : { text: this.#own(shown.text), how: shown.how };
    switch (block.how) {
      case 'elsewhere':
        return;
      case 'nginx':
        return this.#startNginx(block.text);
      case 'restart':
        await this.#end(this.#servers.pop());
        return this.#serve(text, expect);
      case 'server':
        return this.#serve(text, expect);
      case 'until':
        return this.#repeat(text, expect);
      case 'browser':
        return this.#browse(text);
      case '':
        return this.#run(text, expect);
      default:
        throw new Error(`nobody knows how to do "${block.how}"`);
    }
  }

  /** As somebody with a new profile does it. */
  async #browse(steps: string): Promise<void> {
    this.#browser ??= await openBrowser();
    await using someone = await reader(this.#browser);
    const { page, context } = someone;
    const session = await context.newCDPSession(page);
    let isAhead = false;
    session.on('Preload.prefetchStatusUpdated', ({ status }) => {
      isAhead ||= status === 'Ready';
    });
    await session.send('Preload.enable');
    for (const step of steps.trim().split('\n')) {
      const [, url, link, text = ''] =
        /^(?:open (\S+)|click ([^:]+): .*"(.+)")$/.exec(step) ?? fail(step);
      if (url !== undefined) await page.goto(url);
      else {
        // A person waits a moment before a click that shall be at once.
        if (text.includes('before')) await eventually(() => isAhead, 'a prefetch');
        const before = page.url();
        await page.getByRole('link', { name: link as string }).click();
        await page.waitForURL(({ href }) => href !== before);
        const shown = await page.locator('body').innerText();
        if (!shown.includes(text)) throw new Error(`"${step}" shows\n${shown}`);
      }
    }
  }

  async #run(script: string, shown: Shown | null): Promise<void> {
    const { code, stdout, stderr } = await runToEnd(this.#start(script));
    if (code !== 0) throw new Error(`exit code ${code}: ${stderr}${stdout}`);
    check(stdout, shown);
  }

  async #repeat(script: string, shown: Shown | null): Promise<void> {
    const untilMs = performance.now() + patienceMs;
    for (;;) {
      try {
        return await this.#run(script, shown);
      } catch (error) {
        if (performance.now() > untilMs) throw error;
      }
    }
  }

  async #serve(script: string, shown: Shown | null): Promise<void> {
    const child = this.#start(script);
    this.#servers.push(child);
    const ended = runToEnd(child);
    const first = await Promise.race([once(child.stdout as NodeJS.ReadableStream, 'data'), ended]);
    if (!Array.isArray(first)) throw new Error(`it ended: ${first.stderr}`);
    check(String(first[0]), shown);
  }

  #start(script: string): ChildProcess {
    // Without --norc, bash takes the sockets that Node gives it for a remote shell's, and reads its start-up file.
    return spawn('bash', ['--norc', '-euc', `set -o pipefail; ${npx}\n${script}`], {
      cwd: this.#folder,
      detached: true, // a group of its own, which ends as one
      env: {
        HOME: this.#folder,
        PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
        COLUMNS: '80',
        LANG: 'C.UTF-8',
      },
    });
  }

  async #startNginx(text: string): Promise<void> {
    const [line = '', name = ''] = /nginx -c "\$PWD\/([\w-]+\.conf)"/.exec(text) ?? [];
    await this.#run(text.replace(line, ''), null);
    const nginx = await startConfigured(this.#folder, name, {
      ...patient,
      '127.0.0.1:3000': `127.0.0.1:${this.#changes['3000']}`,
      '127.0.0.1:7733': `127.0.0.1:${this.#changes['7733']}`,
      '/var/log/nginx/prefetchd.log': join(this.#folder, 'prefetchd.log'),
    });
    this.#nginx.push(nginx);
    this.#nginxPort = new URL(nginx.url).port;
  }

  /** The text with this run's ports and places. */
  #own(text: string): string {
    let own = text;
    for (const [from, to] of Object.entries(this.#changes)) {
      const changed = from === '8080' ? (this.#nginxPort ?? to) : to;
      own = /^\d+$/.test(from)
        ? own.replace(new RegExp(`\\b${from}\\b`, 'g'), changed)
        : own.replaceAll(from, changed);
    }
    return own;
  }

  async #end(child: ChildProcess | undefined): Promise<void> {
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    process.kill(-child.pid, 'SIGTERM');
    await ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#browser?.close();
    for (const nginx of this.#nginx) await nginx[Symbol.asyncDispose]();
    for (const child of this.#servers) await this.#end(child);
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

interface Shown {
  text: string;
  how: string;
}

function fail(step: string): never {
  throw new Error(`nobody knows how to do "${step}"`);
}

function check(output: string, shown: Shown | null): void {
  if (shown === null || says(output, shown.text, shown.how === 'varies')) return;
  throw new Error(`it printed\n${output}\nand the guide shows\n${shown.text}`);
}
