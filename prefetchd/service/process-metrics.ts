// Defines metrics of this process, under the names that Prometheus clients and dashboards for Node use.

import { readdirSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Metric } from './exposition.ts';

const startSeconds = Date.now() / 1000 - process.uptime();

/** Returns the number of open files; NaN where there is no /proc. */
function openFiles(): number {
  try {
    return readdirSync('/proc/self/fd').length - 1;
  } catch {
    return Number.NaN;
  }
}

export function processCounters(): Metric[] {
  const cpuSeconds = () => {
    const { user, system } = process.cpuUsage();
    return { user: user / 1e6, system: system / 1e6, both: (user + system) / 1e6 };
  };
  const rows = [
    ['process_cpu_user_seconds_total', 'CPU time in user mode.', () => cpuSeconds().user],
    ['process_cpu_system_seconds_total', 'CPU time in the kernel.', () => cpuSeconds().system],
    ['process_cpu_seconds_total', 'CPU time.', () => cpuSeconds().both],
  ] as const;
  return rows.map(([name, help, read]) => ({ name, help, read }));
}

export function processGauges(): Metric[] {
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  const { version } = process;
  const rows = [
    ['process_start_time_seconds', 'Start, since the epoch.', () => startSeconds],
    ['process_resident_memory_bytes', 'Memory in RAM.', () => process.memoryUsage().rss],
    ['process_open_fds', 'Open file descriptors.', openFiles],
    ['nodejs_heap_size_total_bytes', 'The heap.', () => process.memoryUsage().heapTotal],
    ['nodejs_heap_size_used_bytes', 'Heap in use.', () => process.memoryUsage().heapUsed],
    ['nodejs_external_memory_bytes', 'Outside the heap.', () => process.memoryUsage().external],
    ['nodejs_eventloop_lag_mean_seconds', 'Mean lag of the event loop.', () => delay.mean / 1e9],
    ['nodejs_eventloop_lag_p99_seconds', 'Of 100, 99.', () => delay.percentile(99) / 1e9],
  ] as const;
  return [
    ...rows.map(([name, help, read]) => ({ name, help, read })),
    {
      name: 'nodejs_version_info',
      help: 'Node.',
      label: 'version',
      read: () => ({ [version]: 1 }),
    },
  ];
}
