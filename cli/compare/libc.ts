// Makes functions of the C library callable, by the package koffi, for what Node lacks: devices and raw packets.

import { createRequire } from 'node:module';

const koffi = createRequire(import.meta.url)('koffi');
const libc = koffi.load('libc.so.6');

type LibcCall = (...given: unknown[]) => number;
const call = (declaration: string): LibcCall => libc.func(declaration);

export const open = call('int open(const char *path, int flags)');
export const ioctl = call('int ioctl(int fd, ulong request, void *argument)');
export const read = call('long read(int fd, void *bytes, ulong count)');
export const write = call('long write(int fd, const void *bytes, ulong count)');
export const ppoll = call('int ppoll(void *fds, ulong count, void *timeout, void *mask)');
export const prctl = call('int prctl(int option, ulong argument)');
export const socket = call('int socket(int domain, int type, int protocol)');
export const setsockopt = call(
  'int setsockopt(int fd, int level, int name, void *value, int length)',
);
export const recvfrom = call(
  'long recvfrom(int fd, void *bytes, ulong count, int flags, void *address, void *length)',
);
