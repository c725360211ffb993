// `prefetchd proxy`: adds hints to a site of any kind that is served through this proxy; it learns and hints in one
// process. Standard output has one line, when the proxy is ready; the log goes to standard error as JSON.

import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Logger } from '../../options/logger.ts';
import { withConstants } from '../../options/options.ts';
import type { Prefetchd } from '../../prefetchd/engine/prefetchd.ts';
import { denyTable } from '../../prefetchd/rules/deny-list.ts';
import { createService, type Service } from '../../prefetchd/service/service.ts';
import { beaconPath } from '../../prefetchd/wire/beacon-script.ts';
import { isPassed, socketPathOf } from '../../process/listen-on.ts';
import { dictionaries } from '../../server/dictionaries/dictionaries.ts';
import { hintsOptions } from '../../server/hints/hint-options.ts';
import { type Hints, type HintsOptions, hints, ServerError } from '../../server/index.ts';
import { beaconInjection } from '../../server/proxy/beacon-injection.ts';
import { createProxy, type ProxyOptions, type ReverseProxy } from '../../server/proxy/proxy.ts';
import { CommandError, portInUse } from '../command-error.ts';
import { pick, readGiven, tlsOf } from '../flag-values.ts';
import { inFlags, optionsOfFlags } from '../option-flags.ts';
import { nextCommand } from '../run-command.ts';
import { type RunningEngine, startEngine, untilSignal } from './engine-flags.ts';
import { type ConfigFlags, settingSource, settingsOf } from './flag-settings.ts';
import { createLog } from './log.ts';
import { defaultPorts, type Settings, settingRows } from './settings.ts';

type ProxySettings = Settings & { upstream: string };

/** Runs `prefetchd proxy`. @returns the exit code, when the proxy has ended */
export async function serveProxy(site: string | undefined, flags: ConfigFlags): Promise<number> {
  const source = settingSource('proxy', site === undefined ? flags : { ...flags, upstream: site });
  const { upstream, ...rest } = await settingsOf(source);
  if (upstream === undefined) {
    const example = nextCommand('prefetchd', 'proxy --upstream http://127.0.0.1:3000');
    throw new CommandError(`--upstream is required: where the site is; for example ${example}`, 2);
  }
  const settings: ProxySettings = { ...rest, upstream };
  const log = createLog(settings.logLevel);
  try {
    // This proxy is closed at once: it only checks the options, before the store's file is created.
    const options = await proxyOptions(settings);
    await createProxy(options).close();
    hintsOptions(hintFields(settings));
    const engine = await startEngine(settings, log);
    try {
      await serve(engine, settings, options, (renew) => untilSignal(engine, source, renew));
    } finally {
      await engine.close();
    }
    log.info({ ...engine.prefetchd.stats().learned }, 'ended');
    return 0;
  } catch (error) {
    const inUse = portInUse(error, '--admin-port');
    if (inUse !== null || !(error instanceof ServerError)) throw inUse ?? error;
    throw new CommandError(inFlags(error, settingRows), 2, { cause: error });
  }
}

async function serve(
  { prefetchd, log, storeName }: RunningEngine,
  settings: ProxySettings,
  options: ProxyOptions,
  untilEnd: (renew: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const { upstream, adminPort, trust } = settings;
  const middleware = hints({
    prefetchd,
    ...hintFields(settings),
    ...optionsOfFlags(denyTable, settings),
    // Only a proxy on this machine connects to a unix socket, so whoever does is trusted.
    trustProxy: trust ?? (isOnSocket(settings) ? [] : false),
    log,
  });
  const proxy = createProxy({
    ...options,
    handlers: [
      ...(settings.dictionaries === true ? [dictionaries()] : []),
      ...(settings.beacon === 'inject' ? [beaconInjection(beaconScript(settings))] : []),
      middleware,
    ],
    log,
  });
  let shown = options.tls?.cert;
  const expiry = () => (shown ? Date.parse(new X509Certificate(shown).validTo) / 1000 : Number.NaN);
  const admin =
    adminPort === undefined
      ? null
      : adminOf(prefetchd, log, settings, { proxy, middleware, expiry });
  try {
    const adminUrl = admin === null ? null : (await admin.listen({ port: adminPort ?? 0 })).url;
    const { url } = await proxy.listen({
      ...(!isOnSocket(settings) && !isPassed(settings.host ?? '') && { port: defaultPorts.proxy }),
      ...pick(settings, 'port', 'host'),
    });
    const ended = untilEnd(async () => {
      const tls = await tlsOf(settings);
      if (tls !== undefined) proxy.renew(tls);
      shown = tls?.cert;
    });
    const where = { url, upstream, ...(adminUrl !== null && { admin: adminUrl }) };
    log.info({ ...where, ...prefetchd.tuning, store: storeName }, 'listening');
    process.stdout.write(`listening on ${url}\n`);
    void whyUnreachable(upstream, options.ca).then((err) => {
      if (err !== null) log.warn({ upstream, err }, 'the site does not answer');
    });
    await ended;
  } finally {
    await Promise.all([proxy.close(), admin?.close()]);
    await middleware.close();
  }
  const { requests, upstreamFailures } = proxy.stats();
  log.info({ requests, upstreamFailures, ...middleware.stats() }, 'served');
}

const isOnSocket = ({ host = '' }: Settings) => socketPathOf(host) !== null;

async function proxyOptions(settings: ProxySettings): Promise<ProxyOptions> {
  const { upstream, trust = [], ca, requestTimeout, responseTimeout } = settings;
  return {
    upstream,
    requestTimeoutMs: requestTimeout ?? Infinity, // null of a settings file means no limit
    responseTimeoutMs: responseTimeout,
    tls: await tlsOf(settings),
    ca: ca && (await readGiven(ca, '--ca')),
    ...pick(settings, 'maxConnections', 'maxRequestBodyBytes', 'changeOrigin'),
    trustProxy: ['loopback', ...trust],
  };
}

/** Returns the public path of the script with which pages report visits to the proxy (the beacon). */
const beaconScript = ({ prefix = '' }: Settings) => `${prefix}/${beaconPath}.js`;

/** Returns those options of `hints()` that the settings give, such as whether hints are sent as speculation rules. */
function hintFields(settings: Settings): HintsOptions {
  return {
    ...(settings.beacon === false && { beacon: false }),
    ...pick(settings, 'origin', 'prefix', 'earlyHints', 'respectGpc', 'speculationRules'),
  };
}

/** Makes the hint service of the proxy, which listens on loopback, where no token is needed. */
function adminOf(
  prefetchd: Prefetchd,
  log: Logger,
  settings: Settings,
  { proxy, middleware, expiry }: { proxy: ReverseProxy; middleware: Hints; expiry: () => number },
): Service {
  const metrics = [
    {
      name: 'prefetchd_proxy_certificate_expiry_timestamp_seconds',
      help: 'Time since 1970 at which the certificate expires; absent without TLS.',
      read: expiry,
    },
    {
      name: 'prefetchd_proxy_requests_total',
      help: 'Responses of the proxy, by class of their status.',
      label: 'status',
      read: () => proxy.stats().responses,
    },
    {
      name: 'prefetchd_proxy_upstream_failures_total',
      help: 'Requests that the site failed: 502, 504, responses that broke off.',
      read: () => proxy.stats().upstreamFailures,
    },
    {
      name: 'prefetchd_proxy_hinted_pages_total',
      help: 'Pages that carried hints.',
      read: () => middleware.stats().hinted,
    },
    {
      name: 'prefetchd_proxy_unhinted_pages_total',
      help: 'Pages that carried none, by reason.',
      label: 'reason',
      read: () => ({ ...middleware.stats().unhinted }),
    },
    {
      name: 'prefetchd_proxy_prefetched_pages_total',
      help: 'Pages that browsers prefetched or prerendered, by the speculation rule that asked for them.',
      label: 'rule',
      read: () => ({ ...middleware.stats().prefetched }),
    },
  ];
  return createService(prefetchd, {
    log,
    ...pick(settings, 'respectGpc'),
    ...withConstants({ metrics }),
  });
}

/** Longest wait for a connection to the site, ms. */
const checkMs = 5_000;

/**
 * Checks whether the site behind the proxy can be reached, before a visitor notices. Nothing is sent to the site.
 * @param upstream Address of the site, as createProxy takes it @returns The error; null if the site can be reached
 */
async function whyUnreachable(upstream: string, ca: string | Buffer | undefined): Promise<unknown> {
  const { protocol, hostname, port } = URL.parse(upstream) ?? {};
  const host = hostname?.replace(/^\[|\]$/g, '');
  const isTls = protocol === 'https:';
  const socket = upstream.startsWith('unix:')
    ? connect(upstream.slice('unix:'.length))
    : isTls
      ? connectTls({ host, port: Number(port) || 443, servername: host, ...(ca && { ca }) })
      : connect({ host, port: Number(port) || 80 });
  try {
    await once(socket, isTls ? 'secureConnect' : 'connect', {
      signal: AbortSignal.timeout(checkMs),
    });
    return null;
  } catch (error) {
    return error;
  } finally {
    socket.on('error', () => {}).destroy();
  }
}
