// Fields about one connection (RFC 9110 7.6.1, RFC 9111 3.1): proxies do not forward them and caches do not store
// them. Names are in lower case. HTTP2-Settings is defined in RFC 7540 3.2.1. Hold-Line (Hauck 1994) concerns one
// connection, as Keep-Alive does. Trailer is absent: it describes the message, so a proxy that forwards trailers
// forwards it too.

export const hopByHop: readonly string[] = [
  'connection',
  'hold-line',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authentication-info',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'transfer-encoding',
  'upgrade',
];
