// Fields about one connection (RFC 9110 7.6.1, RFC 9111 3.1): no proxy passes them on, no cache keeps them. Names in
// lower case. (Trailer is about the message: a proxy that passes trailers on passes it on, too.)

export const hopByHop: readonly string[] = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authentication-info',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'transfer-encoding',
  'upgrade',
];
