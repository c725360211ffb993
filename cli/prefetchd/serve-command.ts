// `prefetchd serve`: runs the hint service until a signal ends it. Standard output has one line, when the service is
// ready; the log goes to standard error as JSON.

import { createService } from '../../prefetchd/service/service.ts';
import { serviceOptions } from '../../prefetchd/service/service-options.ts';
import { portInUse } from '../command-error.ts';
import { pick } from '../flag-values.ts';
import { startEngine, untilSignal } from './engine-flags.ts';
import { type ConfigFlags, settingSource, settingsOf, tokenOf } from './flag-settings.ts';
import { createLog } from './log.ts';

/** Runs `prefetchd serve`. @returns the exit code, when the service has ended */
export async function servePrefetchd(flags: ConfigFlags): Promise<number> {
  const source = settingSource('serve', flags);
  const settings = await settingsOf(source);
  const log = createLog(settings.logLevel);
  const options = {
    token: await tokenOf(settings),
    log,
    ...pick(settings, 'prefix', 'maxConnections', 'respectGpc'),
    ...(settings.trust !== undefined && { trustProxy: settings.trust }),
  };
  serviceOptions(options); // the options are checked before a file is created
  const engine = await startEngine(settings, log);
  const { prefetchd, storeName } = engine;
  try {
    const service = createService(prefetchd, options);
    const { url } = await service.listen(pick(settings, 'port', 'host')).catch((error) => {
      throw portInUse(error) ?? error;
    });
    const ended = untilSignal(engine, source);
    log.info({ url, ...prefetchd.tuning, store: storeName }, 'listening');
    process.stdout.write(`listening on ${url}\n`);
    await ended;
    await service.close();
  } finally {
    await engine.close();
  }
  log.info({ ...prefetchd.stats().learned }, 'ended');
  return 0;
}
