// Defines formats whose lines are fields: how a line is split (splitters.ts), and what fields mean (fields.ts).
// Programs write other lines into the same log, which are not accesses. Where a line fits several formats, the one
// listed first is taken.

import { type LogFormat, saysPrivate } from '../log-format.ts';
import { type FieldMap, fieldsOf, parseFieldMap, parserBy } from './fields.ts';
import {
  commasIn,
  type JsonObject,
  mostColumns,
  numbered,
  ownValue,
  parseJsonLine,
  type Splitter,
  splitFields,
  splitJson,
  splitLabels,
  valuesOf,
  wordsIn,
} from './splitters.ts';

const splitWords: Splitter = (line) => numbered(wordsIn(line));

const splitCommas: Splitter = (line) => numbered(commasIn(line));

/** Splits a line of an AWS load balancer. Ports of clients are removed, as an IPv6 address may lack its brackets. */
const splitAws: Splitter = (line) =>
  numbered(wordsIn(line).map((word, at) => (at < 4 ? word.replace(/:\d{1,5}$/, '') : word)));

/** Splits a line of Squid, whose fourth word is action/status. */
const splitSquid: Splitter = (line) => {
  const words = wordsIn(line);
  words[3] = /^[A-Z_]+\/(\d{3})$/.exec(words[3] ?? '')?.[1] ?? '';
  return numbered(words);
};

const longestRouter = 16_384;

/** Splits a line of Heroku's router: `time heroku[router]: at=info method=GET path="/" host=... fwd="..." service=12ms
 *  status=200 bytes=5120`. */
const splitRouter: Splitter = (line) => {
  if (!line.includes(' at=') || !line.includes(' fwd=')) {
    return /^[^ ]* ?[^ ]* (?:heroku|app)[[ ]/.test(line) ? undefined : 'no at= and fwd=';
  }
  const found = line.slice(0, longestRouter).matchAll(/([\w-]{1,64})=(?:"([^"]*)"|([^\s"]*))/g);
  const fields = new Map(Array.from(found, ([, name, quoted, bare]) => [name, quoted ?? bare]));
  const time = /\d{4}-\d\d-\d\dT[\d:.]{8,20}(?:Z|[+-]\d\d:\d\d)?/.exec(line.slice(0, 100));
  return (field) => (field === 'time' ? time?.[0] : fields.get(field));
};

/** Splits a line of Caddy 2: an object with the request and its header fields; in the format `console`, after time,
 *  level, logger and message with tabs between. */
const splitCaddy: Splitter = (line) => {
  const start = line.startsWith('{') ? 0 : line.indexOf('\t{') + 1;
  const time = /^\d{4}\/\d\d\/\d\d [\d:.]+(?=\t)/.exec(line)?.[0].replaceAll('/', '-');
  if (time !== undefined && start === 0) return undefined;
  const object = parseJsonLine(line.slice(start));
  if (typeof object === 'string') return object;
  const { request, logger, ts } = object;
  if (typeof request !== 'object') {
    return time === undefined && logger === undefined ? 'no request' : undefined;
  }
  const scheme = ownValue(request, 'tls') === undefined ? 'http' : 'https';
  return valuesOf({ ...object, ts: time ?? ts, scheme, private: isForOne(object) ? 'yes' : '' });
};

/** Returns whether a line shows that an answer was for one person; Caddy logs cookies and logins as empty lists. */
function isForOne({ request, resp_headers }: JsonObject): boolean {
  const has = (fields: unknown, name: string) => ownValue(fields, name) !== undefined;
  const caching = JSON.stringify(ownValue(resp_headers, 'Cache-Control') ?? '');
  return (
    has(resp_headers, 'Set-Cookie') ||
    has(ownValue(request, 'headers'), 'Authorization') ||
    saysPrivate(caching)
  );
}

/** Splits a line of Traefik, whose own events are among the accesses if both logs go to standard output. */
const splitTraefik: Splitter = (line) => {
  const object = parseJsonLine(line);
  if (typeof object === 'string') return object;
  const isEvent = object['level'] !== undefined && object['RequestMethod'] === undefined;
  const isOfClient = object['ClientHost'] !== undefined || object['ClientAddr'] !== undefined;
  return isEvent && !isOfClient ? undefined : valuesOf(object);
};

/** Splits a line of Cloudflare Logpush, dataset http_requests. Requests that Workers made are left out. */
const splitCloudflare: Splitter = (line) => {
  const object = parseJsonLine(line);
  if (typeof object === 'string') return object;
  const { ClientRequestSource: source = 'eyeball', WorkerSubrequest: isOfWorker } = object;
  if (source !== 'eyeball' || isOfWorker === true) return undefined;
  return valuesOf(object);
};

interface FieldFormat {
  split: Splitter;
  fields: string;
  manySites?: boolean;
}

const formats: Readonly<Record<string, FieldFormat>> = {
  'caddy-json': {
    split: splitCaddy,
    // Caddy before 2.5 logs the address with its port, as remote_addr.
    fields: `
      client=request.client_ip|request.remote_ip|request.remote_addr, time=ts, status=status,
      method=request.method, url=request.uri, host=request.host, scheme=scheme,
      bytes=size, agent=request.headers.User-Agent|request.headers.user-agent,
      referer=request.headers.Referer|request.headers.referer, purpose=request.headers.Sec-Purpose|
      request.headers.sec-purpose|request.headers.Purpose|request.headers.X-Moz,
      destination=request.headers.Sec-Fetch-Dest|request.headers.sec-fetch-dest,
      type=resp_headers.Content-Type|resp_headers.content-type,
      robots=resp_headers.X-Robots-Tag, private=private, duration=duration:s`,
  },
  // Traefik logs header fields where `accesslog.fields.headers` keeps them; names are those of Traefik 1.7 to 3.
  'traefik-json': {
    split: splitTraefik,
    fields: `
      client=ClientHost|ClientAddr, time=StartUTC|StartLocal|time,
      status=DownstreamStatus|OriginStatus, method=RequestMethod, url=RequestPath,
      host=RequestAddr|RequestHost, scheme=RequestScheme|TLSVersion,
      bytes=DownstreamContentSize|OriginContentSize, agent=request_User-Agent,
      referer=request_Referer, purpose=request_Sec-Purpose|request_Purpose|request_X-Moz,
      destination=request_Sec-Fetch-Dest, type=downstream_Content-Type|origin_Content-Type,
      duration=Duration:ns`,
  },
  cloudflare: {
    split: splitCloudflare,
    fields: `
      client=ClientIP, time=EdgeStartTimestamp, status=EdgeResponseStatus,
      method=ClientRequestMethod, url=ClientRequestURI|ClientRequestPath, host=ClientRequestHost,
      scheme=ClientRequestScheme, bytes=EdgeResponseBytes, agent=ClientRequestUserAgent,
      referer=ClientRequestReferer, type=EdgeResponseContentType,
      purpose=RequestHeaders.sec-purpose|RequestHeaders.purpose|RequestHeaders.x-moz,
      destination=RequestHeaders.sec-fetch-dest`,
  },
  // nginx and Apache can log JSON. Sites choose the names: those of nginx's variables ($remote_addr, $request_uri) and
  // common short forms. A duration counts only under a name that implies its unit ($request_time is in seconds).
  'nginx-json': {
    split: splitJson,
    fields: `
      client=http_x_forwarded_for|x_forwarded_for|xff|remote_addr|client_ip|remote_ip|clientip|
      remoteIP|client|ip, time=msec|time_iso8601|time_local|@timestamp|timestamp|time|ts,
      status=status|response|status_code, request=request, method=request_method|method|verb,
      url=request_uri|uri|url|path, query=args|query_string|query,
      host=http_host|host|server_name|vhost, scheme=scheme|https,
      bytes=body_bytes_sent|bytes_sent|bytes|size,
      agent=http_user_agent|user_agent|userAgent|agent,
      referer=http_referer|http_referrer|referer|referrer,
      purpose=http_sec_purpose|sec_purpose|Sec-Purpose|http_purpose|purpose|http_x_moz|x_moz,
      destination=http_sec_fetch_dest|sec_fetch_dest|Sec-Fetch-Dest,
      type=sent_http_content_type|content_type|Content-Type,
      robots=sent_http_x_robots_tag|robots|X-Robots-Tag, duration=request_time:s|duration_s:s|
      request_time_ms:ms|duration_ms:ms|request_time_us:us|duration_us:us`,
  },
  // This is the format of Akamai's DataStream 2.
  akamai: {
    split: splitJson,
    fields: `
      client=cliIP, time=reqTimeSec, method=reqMethod, host=reqHost, url=reqPath, query=queryStr,
      status=statusCode, bytes=bytes, agent=UA, referer=referer, type=rspContentType,
      duration=turnAroundTimeMSec:ms`,
  },
  // ALB writes type time elb client target 3 durations status target-status received sent "request" "agent"
  'aws-alb': {
    split: splitAws,
    fields: 'time=2,client=4,duration=6+7+8:s,status=9,bytes=12,request=13,agent=14',
  },
  // AWS's classic load balancer has the columns of aws-alb without the type.
  'aws-elb': {
    split: splitAws,
    fields: 'time=1,client=3,duration=5+6+7:s,status=8,bytes=11,request=12,agent=13',
  },
  // S3 writes owner bucket [time] client requester id operation key "request" status error sent size total-ms own-ms
  'aws-s3': {
    split: splitWords,
    fields: 'time=3,client=4,request=9,status=10,bytes=12,duration=14:ms,referer=16,agent=17',
  },
  // Envoy writes [time] "request" status flags received sent duration upstream "forwarded" "agent" "id" "host"
  envoy: {
    split: splitWords,
    fields: 'time=1,request=2,status=3,bytes=6,duration=7:ms,client=9,agent=10,host=12',
  },
  // Istio has envoy's columns, with two details and "transport failure" after the flags, and addresses at the end.
  istio: {
    split: splitWords,
    fields: 'time=1,request=2,status=3,bytes=9,duration=10:ms,client=12|20,agent=13,host=15',
  },
  // IIS writes client user date time service name server duration received sent status code method path query
  iis: {
    split: splitCommas,
    fields: 'client=1,time=3+4,duration=8:ms,bytes=10,status=11,method=13,url=14,query=15',
  },
  ltsv: {
    split: splitLabels,
    fields: `
      client=forwardedfor|host, time=time, request=req, method=method, url=uri, status=status,
      bytes=size, referer=referer, agent=ua, host=vhost, duration=reqtime:s`,
  },
  heroku: {
    split: splitRouter,
    fields: `
      client=fwd, time=time, method=method, url=path, host=host, status=status, bytes=bytes,
      duration=service:ms`,
  },
  // Squid writes seconds.ms elapsed-ms client action/status bytes method URL ident hierarchy type, for many sites.
  squid: {
    split: splitSquid,
    fields: 'time=1,duration=2:ms,client=3,status=4,bytes=5,method=6,url=7,type=10',
    manySites: true,
  },
};

const isNumber = (field: string) => /^[1-9]\d{0,2}$/.test(field);

export const fieldFormats: readonly LogFormat[] = Object.entries(formats).map(([name, format]) => {
  const { split, fields, manySites = false } = format;
  const map = parseFieldMap(fields);
  // If fields have numbers instead of names, any line with enough words would fit, so the client must be an address.
  const isByNumber = fieldsOf(map).every(isNumber);
  return { name, manySites, createParser: () => parserBy(map, split, isByNumber) };
});

/** Makes the format of a log whose fields the user named: one JSON object per line, or columns. */
export function formatByFields(map: FieldMap): LogFormat {
  const fields = fieldsOf(map);
  return {
    name: 'fields',
    createParser() {
      let split: Splitter | undefined;
      return parserBy(map, (line) => {
        split ??= line.startsWith('{') ? splitJson : columnsOf(line, fields);
        // The message does not contain what was found, because the line may be about a visitor.
        return split === undefined ? `not all of the columns ${fields.join(', ')}` : split(line);
      });
    },
  };
}

const separators: ReadonlyArray<(line: string) => string[]> = [
  (line) => splitFields(line, '\t', mostColumns),
  commasIn,
  wordsIn,
];

/** Makes a splitter of columns, separated by tabs, commas or spaces: by the first of these with which the first line
 *  has all `fields`. If a field is given by name, the first line contains the names of the columns. */
function columnsOf(firstLine: string, fields: readonly string[]): Splitter | undefined {
  const isNamed = !fields.every(isNumber);
  for (const separate of separators) {
    const names = separate(firstLine).map((name) => name.trim());
    const columnOf = (field: string) =>
      isNumber(field) ? Number(field) - 1 : names.indexOf(field);
    if (!fields.every((field) => columnOf(field) in names)) continue;
    return (line) => {
      if (isNamed && line === firstLine) return undefined;
      const values = separate(line);
      return (field) => values[columnOf(field)];
    };
  }
  return undefined;
}
