// A visitor's browser, as far as servers can tell: an address of its own (127.0.0.0/8 is all loopback), the
// fields browsers send, a connection that stays.

import { once } from 'node:events';
import { type IncomingHttpHeaders, request } from 'node:http';

export interface Visit {
  /** The visitor's address. */
  from?: string;
  method?: string;
  headers?: Record<string, string>;
  body?: string;
}

export interface Visited {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

const browser = {
  'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0',
  Accept: 'text/html,application/xhtml+xml,*/*;q=0.8',
};

export async function visit(url: string, options: Visit = {}): Promise<Visited> {
  const { from = '127.0.0.1', method = 'GET', headers = {}, body } = options;
  const sent = request(url, {
    localAddress: from,
    method,
    agent: false,
    headers: { ...browser, ...headers },
  });
  sent.end(body);
  const [response] = await once(sent, 'response');
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += chunk;
  return { status: response.statusCode, headers: response.headers, body: text };
}
