// The examples for operators as they stand. The steps of the Dockerfile run in plain folders, and what compose.yaml
// starts runs from them; units are judged by systemd; Prometheus scrapes a proxy, and answers what the board asks.
// What needs a program that is missing is skipped by its name.

import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect as connectHttp2 } from 'node:http2';
import { dirname, join } from 'node:path';
import { connect } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { ask } from '../prefetchd/service/ask.ts';
import { freePort, isInstalled, runToEnd, startServer } from '../support/command.ts';
import { eventually } from '../support/eventually.ts';
import { folderOfTests } from '../support/folder-of-tests.ts';
import { startPrefetchd, untilListening } from '../support/prefetchd-command.ts';
import { RedisServer } from '../support/redis.ts';
import { makeTestCertificate } from '../support/tls.ts';
import { visit } from '../support/visit.ts';
import { expectLink, hostOf, startApp, walk } from './nginx-set-up.ts';
import { learnedAt, proxying } from './proxying.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const textOf = (name: string) => readFileSync(join(root, 'examples', name), 'utf8');
const folder = folderOfTests();
const run = (command: string, args: string[], cwd = folder) =>
  execFileSync(command, args, { cwd, encoding: 'utf8', stdio: 'pipe', env });
const env = {
  ...process.env,
  PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
  npm_config_prefer_offline: 'true',
  npm_config_fetch_retries: '0',
  PREFETCHD_FLUSH_INTERVAL: '20ms',
};
const missing = (...programs: string[]) =>
  programs.flatMap((name) => (isInstalled(name) ? [] : `${name} is not installed`)).join(', ');
/** The text with other words in place of some. */
const changed = (text: string, changes: Record<string, string>) =>
  Object.entries(changes).reduce((all, [from, to]) => all.replaceAll(from, to), text);

interface Service {
  image: string;
  build?: string;
  user?: string;
  entrypoint?: string[];
  command: string[];
  healthcheck?: { test: string[] };
  ports?: string[];
}

describe('examples/docker', () => {
  const steps = textOf('docker/Dockerfile')
    .split('\n')
    .filter((line) => /^[A-Z]/.test(line))
    .map((line) => /^(\w+) (.*)/.exec(line)?.slice(1) as [string, string]);
  const last = (name: string) => steps.findLast(([step]) => step === name)?.[1] ?? '';
  const services: Record<string, Service> = parse(textOf('docker/compose.yaml'), {
    merge: true,
  }).services;
  const imageCheck: string[] = JSON.parse(last('HEALTHCHECK').replace(/^.*? CMD /, ''));

  it('nothing runs as root, writes to its root or follows :latest, and all have a health check', () => {
    for (const [step, rest] of steps) {
      if (step === 'FROM') expect(rest).toMatch(/^node:\d+-\S+( AS \w+)?$/);
    }
    expect(steps.findLastIndex(([step]) => step === 'USER')).toBeGreaterThan(
      steps.findLastIndex(([step]) => step === 'FROM'),
    );
    expect(last('USER')).toBe('node');
    expect(imageCheck.join()).toContain('/healthz');
    for (const [name, service] of Object.entries(services)) {
      const { image, build, user, healthcheck, ports = [] } = service;
      expect(service).toMatchObject({
        read_only: true,
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
      });
      expect(image).toMatch(/:\d/);
      expect([name, build ?? user]).toEqual([name, expect.stringMatching(/^(\.|[a-z]+)$/)]);
      expect([name, build ?? healthcheck]).not.toEqual([name, undefined]);
      // The proxy is for visitors; anything else is for this machine.
      for (const port of ports)
        expect(port).toMatch(name === 'proxy' ? /^8080:/ : /^127\.0\.0\.1:/);
    }
  });

  const canInstall = spawnSync('npm', ['view', 'ioredis@6', 'version'], { env }).status === 0;
  const why = missing('redis-server') || (canInstall ? '' : 'npm cannot get ioredis');
  it.skipIf(why)(`built, a hint learned by the proxy comes from both ${why}`, async () => {
    const { entry, image } = builtFrom(steps);
    await using redis = await RedisServer.start();
    const [site, admin, port] = [await freePort(), await freePort(), await freePort()];
    writeFileSync(join(folder, 'token'), 'a-token-of-32-characters-or-more\n');
    const start = ({ entrypoint = entry, command = [] }: Service, own: number) => {
      const changes: Record<string, string> = {
        '/site.mjs': join(root, 'examples/docker/site.mjs'),
        'redis://redis:6379': redis.url(),
        'http://site:3000': `http://127.0.0.1:${site}`,
        '0.0.0.0': '127.0.0.1',
        '8080': '0',
        '7733': `${own}`,
        '@/run/secrets/token': `@${join(folder, 'token')}`,
      };
      const [program, ...args] = [...entrypoint, ...command].map((word) => changes[word] ?? word);
      const shown = { ...env, PORT: `${site}` };
      return spawn(...readOnly(image, program as string, args), { cwd: image, env: shown });
    };
    const isHealthy = (test: string[], own: number) =>
      spawnSync(
        test[0] as string,
        test.slice(1).map((word) => word.replace('7733', `${own}`).replace('3000', `${site}`)),
        { env },
      ).status === 0;
    const checkOf = ({ healthcheck }: Service) => healthcheck?.test.slice(1) ?? imageCheck;

    const app = start(services.site as Service, 0);
    onTestFinished(() => void app.kill('SIGKILL'));
    await once(app.stdout as NodeJS.ReadableStream, 'data');
    {
      await using proxy = await untilListening(start(services.proxy as Service, admin));
      await using prefetchd = await untilListening(start(services.prefetchd as Service, port));
      for (const [name, own] of [
        ['site', 0],
        ['proxy', admin],
        ['prefetchd', port],
      ] as const) {
        expect([name, isHealthy(checkOf(services[name] as Service), own)]).toEqual([name, true]);
      }
      const learned = () => learnedAt(`http://127.0.0.1:${admin}`);
      await walk(proxy.url, 5, ['/', '/guide'], learned);
      await expectLink(`${proxy.url}/`, /<\/guide>; rel=prefetch/);
      const headers = { Authorization: 'Bearer a-token-of-32-characters-or-more' };
      await eventually(async () => {
        const { text } = await ask(prefetchd.url, '/v1/hints?url=/', { headers });
        return text.includes('"/guide"');
      }, 'the hint from the other prefetchd');
    }
    for (const own of [admin, port]) expect(isHealthy(imageCheck, own)).toBe(false);
  });

  const canRun = (...args: string[]) => spawnSync('docker', args, { env }).status === 0;
  const noDocker = canRun('info') && canRun('compose', 'version') ? '' : 'no Docker';
  it.skipIf(noDocker)(
    `Docker builds and starts it, healthy ${noDocker}`,
    { timeout: 600_000 },
    async () => {
      const cwd = contextIn('composed');
      const own = {
        '8080:8080': '127.0.0.1::8080',
        ':7733:7733': '::7733',
        'loadahead:0': 'loadahead:tested-0',
      };
      writeFileSync(join(cwd, 'compose.yaml'), changed(textOf('docker/compose.yaml'), own));
      writeFileSync(join(cwd, 'token'), 'a-token-of-32-characters-or-more\n');
      const compose = (...args: string[]) => run('docker', ['compose', ...args], cwd);
      onTestFinished(() => void compose('down', '--volumes'));
      compose('config', '--quiet');
      compose('up', '--build', '--wait');
      const { status } = await fetch(`http://${compose('port', 'proxy', '8080').trim()}/`);
      expect(status).toBe(200);
    },
  );
});

/** Makes the folder that examples/docker/README.md describes. */
function contextIn(name: string): string {
  const context = join(folder, name);
  cpSync(join(root, 'examples/docker'), context, { recursive: true });
  run('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', context], root);
  return context;
}

/** Runs the steps of a Dockerfile: a stage is a folder, and paths begin there. */
function builtFrom(steps: Array<[string, string]>): { entry: string[]; image: string } {
  const stages: Record<string, string> = {};
  const context = contextIn('context');
  let [stage, cwd, entry] = ['', '', ['']];
  for (const [step, rest] of steps) {
    const [, from, source, target] = /^(?:--from=(\w+) )?(\S+) (\S+)$/.exec(rest) ?? [];
    if (step === 'FROM') {
      const name = / AS (\w+)$/.exec(rest)?.[1] ?? 'image';
      stage = join(folder, name);
      stages[name] = stage;
    } else if (step === 'WORKDIR') {
      cwd = stage + rest;
      mkdirSync(cwd, { recursive: true });
    } else if (step === 'COPY') {
      const begin = from === undefined ? `${context}/` : stages[from];
      run('sh', ['-ec', `cp -r ${begin}${source} ${target}`], cwd);
    } else if (step === 'RUN') run('sh', ['-ec', rest], cwd);
    else if (step === 'ENTRYPOINT') entry = JSON.parse(rest);
  }
  return { entry, image: cwd };
}

const canMount = spawnSync('unshare', ['-m', 'true']).status === 0;
/** A command for which the folder is read-only, where the system lets us mount. */
function readOnly(path: string, program: string, args: string[]): [string, string[]] {
  if (!canMount) return [program, args];
  const mount = `mount --bind "${path}" "${path}"; mount -o remount,bind,ro "${path}"; cd "${path}"`;
  return ['unshare', ['-m', 'sh', '-ec', `${mount}; exec "$0" "$@"`, program, ...args]];
}

const whyNoSystemd = missing('systemd-analyze');
describe.each([
  ['prefetchd', 'serve'],
  ['prefetchd-proxy', 'proxy'],
])(`examples/systemd/%s.service ${whyNoSystemd}`, (name, command) => {
  const text = textOf(`systemd/${name}.service`);

  it.skipIf(whyNoSystemd)('is valid, and may do little', () => {
    const unit = join(folder, `${name}.service`);
    writeFileSync(unit, changed(text, { '/usr/bin/node': process.execPath }));
    const socket = join(folder, `${name}.socket`);
    writeFileSync(socket, textOf('systemd/prefetchd.socket'));
    expect(run('systemd-analyze', ['verify', '--man=no', unit, socket])).toBe('');
    run('systemd-analyze', ['security', '--offline=true', '--threshold=20', unit]);
  });

  it('serves from its directory, reloads its file, and is not started again without it', async () => {
    const [, args = ''] = /^ExecStart=\S+ \S+prefetchd\.js (.*)$/m.exec(text) ?? [];
    expect(text).toMatch(/^ExecReload=\/bin\/kill -HUP \$MAINPID$/m);
    expect(text).toMatch(
      new RegExp(`^StateDirectory=${name}\n(.*\n)WorkingDirectory=%S/${name}$`, 'm'),
    );
    const [config, state] = [join(folder, `${command}.json`), join(folder, 'var', name)];
    mkdirSync(state, { recursive: true });
    const words = changed(args, { [`/etc/prefetchd/${command}.json`]: config }).split(' ');
    const start = () => startPrefetchd(state, words, { PREFETCHD_STORE: undefined });
    const failed = await runToEnd(start());
    expect(text).toContain(
      `\nRestart=always\n# Wrong settings stay wrong.\nRestartPreventExitStatus=${failed.code}\n`,
    );

    const places = { tlsKey: join(folder, 'site.key'), tlsCert: join(folder, 'site.pem') };
    const { key, cert } = await makeTestCertificate();
    writeFileSync(places.tlsKey, key);
    writeFileSync(places.tlsCert, cert);
    const isProxy = command === 'proxy';
    const given = {
      ...JSON.parse(textOf(`systemd/${command}.json`)),
      ...(isProxy
        ? { ...places, adminPort: 0, host: '127.0.0.1' }
        : { follow: [join(folder, 'access.log')] }),
      port: 0,
    };
    writeFileSync(config, JSON.stringify(given));
    await using service = await untilListening(start());
    expect(existsSync(join(state, 'prefetchd.db'))).toBe(true);
    writeFileSync(config, JSON.stringify({ ...given, threshold: 0.7 }));
    service.child.kill('SIGHUP');
    await service.logged(/"threshold":0\.7/);
  });
});

const isolated = spawnSync('unshare', ['-n', 'true']).status === 0 ? 'unshare -n' : 'env';
const whyNoActivation = missing('systemd-socket-activate');
describe.skipIf(whyNoActivation)(`examples/systemd/prefetchd.socket ${whyNoActivation}`, () => {
  /** Starts a command as systemd does: with a port that was opened before, and by which its first visitor came. */
  const activated = async (listen: string, words: string[], within: string) => {
    const program = [process.execPath, join(root, 'cli/prefetchd.ts'), ...words];
    const own = ['-E', 'PREFETCHD_STORE=memory', '-l', listen, ...within.split(' ')];
    const child = spawn('systemd-socket-activate', [...own, ...program], { cwd: folder });
    await once(child.stderr, 'data'); // It says that it listens.
    return child;
  };

  it.each([
    ['serve', '/readyz', isolated],
    ['proxy', '/a', 'env'],
  ])('%s answers who came before it, and reloads', async (command, path, within) => {
    await using app = await startApp();
    const [port, config] = [await freePort(), join(folder, `passed-${command}.json`)];
    const upstream = command === 'proxy' && { upstream: `http://${app.address}` };
    const put = (more = {}) =>
      writeFileSync(config, JSON.stringify({ host: 'fd:3', ...upstream, ...more }));
    put();
    const child = await activated(`127.0.0.1:${port}`, [command, '--config', config], within);
    const [service, first] = [untilListening(child), visit(`http://127.0.0.1:${port}${path}`)];
    await using running = await service;
    expect([running.url, (await first).status]).toEqual([`http://127.0.0.1:${port}`, 200]);
    put({ threshold: 0.7 });
    running.child.kill('SIGHUP');
    await running.logged(/"threshold":0\.7/);
  });

  it.each([
    ['127.0.0.1:PORT', 'fd:4', 'env', 'LISTEN_FDS is 1, and LISTEN_PID'],
    ['127.0.0.1:PORT', 'fd:3', 'env LISTEN_PID=1', 'LISTEN_PID 1 in process'],
    ['127.0.0.1:PORT', 'fd:3 --port 80', 'env', '--port must not be given with a passed socket'],
    ['0.0.0.0:PORT', 'fd:3', 'env', 'token must be set to listen on 0.0.0.0'],
    ['own.sock', 'fd:3', 'env', 'a unix socket is named by its path'],
  ])('refuses %s as %s, %s', async (listen, words, within, says) => {
    const [port, path] = [await freePort(), join(folder, 'own.sock')];
    const where = changed(listen, { PORT: `${port}`, 'own.sock': path });
    const child = await activated(where, ['serve', '--host', ...words.split(' ')], within);
    const ended = runToEnd(child);
    const visitor = connect(where === path ? { path } : { port }).on('error', () => {});
    const { code, stderr } = await ended;
    visitor.destroy();
    expect([code, stderr]).toEqual([2, expect.stringContaining(says)]);
  });
});

it('a certificate expires while the proxy runs: connections stay, and only a pair is taken', async () => {
  await using app = await startApp();
  const file = (name: string) => join(folder, `expiring.${name}`);
  const put = (key: string, cert: string) => {
    writeFileSync(file('key'), key);
    writeFileSync(file('pem'), cert);
  };
  const old = await makeTestCertificate([], { until: 2 / 86_400 }); // In two seconds.
  const next = await makeTestCertificate();
  put(old.key, old.cert);
  writeFileSync(file('json'), JSON.stringify({ tlsKey: file('key'), tlsCert: file('pem') }));
  await using proxy = await proxying(folder, `http://${app.address}`, ['--config', file('json')]);
  const session = connectHttp2(proxy.url, { rejectUnauthorized: false });
  const isAnswered = async () => {
    const [head] = await once(session.request({ ':path': '/a' }), 'response');
    expect(head[':status']).toBe(200);
  };
  await isAnswered();
  const shown = async ({ cert: ca }: { cert: string }) => {
    const socket = connect({ port: Number(new URL(proxy.url).port), ca });
    const failed = await once(socket, 'secureConnect').catch((error) => error.code);
    socket.destroy();
    return Array.isArray(failed) ? 'valid' : failed;
  };
  await eventually(async () => (await shown(old)) === 'CERT_HAS_EXPIRED', 'it expires');
  const refused = () => proxy.log.filter((line) => line.includes('the one before stays')).length;
  const wrong = [() => put(next.key, old.cert), () => put('', ''), () => rmSync(file('key'))];
  for (const [index, make] of wrong.entries()) {
    make();
    proxy.child.kill('SIGHUP');
    await eventually(() => refused() > index, 'it is refused');
    expect(await shown(old)).toBe('CERT_HAS_EXPIRED');
  }
  put(next.key, next.cert);
  proxy.child.kill('SIGHUP');
  await eventually(async () => (await shown(next)) === 'valid', 'the new one is shown');
  const expiry = Date.parse(new X509Certificate(next.cert).validTo) / 1000;
  const { text } = await ask(proxy.admin, '/metrics');
  expect(text).toContain(`\nprefetchd_proxy_certificate_expiry_timestamp_seconds ${expiry}\n`);
  await isAnswered();
  session.destroy();
});

const programs = ['promtool', 'prometheus'];
const whyNoPrometheus = missing(...programs);
describe.skipIf(whyNoPrometheus)(`examples/prometheus ${whyNoPrometheus}`, () => {
  const own = join(root, 'examples/prometheus');

  it('promtool finds rules and scraping valid, and each alert fires when it should', () => {
    run('promtool', ['check', 'config', 'prometheus.yaml'], own);
    run('promtool', ['test', 'rules', 'alerts-test.yaml'], own);
  });

  it('Prometheus answers all that alerts and board ask about a prefetchd', async () => {
    await using app = await startApp();
    const store = ['--store', `sqlite:${join(folder, 'site.db')}`, '--flush-interval', '20ms'];
    await using proxy = await proxying(folder, `http://${app.address}`, store);
    await walk(proxy.url, 8, ['/a', '/b'], proxy.learned);
    await visit(proxy.url, { headers: { 'User-Agent': 'bot' } });
    await ask(proxy.admin, '/v1/config', { headers: { Host: 'elsewhere.example' } });
    const port = await freePort();
    const config = join(folder, 'prometheus.yaml');
    const changes = { '15s': '100ms', '127.0.0.1:7733': hostOf(proxy.admin) };
    writeFileSync(config, changed(textOf('prometheus/prometheus.yaml'), changes));
    cpSync(join(own, 'alerts.yaml'), join(folder, 'alerts.yaml'));
    const args = [
      `--config.file=${config}`,
      `--storage.tsdb.path=${join(folder, 'tsdb')}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ];
    await using _ = await startServer('prometheus', args, port);
    // biome-ignore lint/suspicious/noExplicitAny: what Prometheus answers
    const api = async (path: string): Promise<any> =>
      (await ask(`http://127.0.0.1:${port}`, `/api/v1/${path}`)).json?.data; // none before it is ready
    const { text: metrics } = await ask(proxy.admin, '/metrics');
    const { panels } = JSON.parse(textOf('prometheus/board.json'));
    const rules = parse(textOf('prometheus/alerts.yaml')).groups[0].rules as Array<{
      expr: string;
    }>;
    const asked: string[] = panels.flatMap(({ targets }: { targets: Array<{ expr: string }> }) =>
      targets.map(({ expr }) => expr),
    );
    const names = new Set([...metrics.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name));
    for (const expr of [...asked, ...rules.map((rule) => rule.expr)]) {
      for (const [name] of expr.matchAll(/\b(?:prefetchd|process|nodejs)_\w+/g)) {
        expect(names).toContain(name.replace(/_(bucket|count)$/, ''));
      }
    }
    for (const expr of asked) {
      await eventually(async () => {
        const found = await api(`query?query=${encodeURIComponent(expr)}`);
        return found?.result.length > 0;
      }, `an answer to ${expr}`);
    }
    const { groups } = await api('rules');
    expect(groups[0].rules.map(({ lastError }: { lastError?: string }) => lastError)).toEqual(
      rules.map(() => undefined),
    );
  });
});
