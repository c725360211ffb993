// Calls of the C library for what Node does not set or tell of a socket, by the package koffi.

import { createRequire } from 'node:module';

const libc = createRequire(import.meta.url)('koffi').load('libc.so.6');

type Call = (...given: unknown[]) => number;

export const ioctl: Call = libc.func('int ioctl(int fd, ulong request, void *argument)');
export const setsockopt: Call = libc.func(
  'int setsockopt(int fd, int level, int name, void *value, int length)',
);
