// Formats whose fields have fixed places: a row says how a line is split and where its fields are (field-map.ts).

import type { LogFormat } from '../log-format.ts';
import { parserBy } from './by-fields.ts';
import { parseFieldMap } from './field-map.ts';
import {
  logfmtIn,
  type Splitter,
  splitCommas,
  splitJson,
  splitLabels,
  splitWords,
  wordsIn,
} from './splitters.ts';

/** Heroku's router: `time heroku[router]: at=info method=GET path="/" host=... fwd="..." service=12ms status=200
 *  bytes=5120`. Other programs write to the same log. */
const splitRouter: Splitter = (line) => {
  if (!line.includes(' at=') || !line.includes(' fwd=')) {
    return /^[^ ]* ?[^ ]* (?:heroku|app)[[ ]/.test(line) ? undefined : 'no at= and fwd=';
  }
  const fields = logfmtIn(line);
  fields.set('service', (fields.get('service') ?? '').replace(/ms$/, ''));
  const time = /\d{4}-\d\d-\d\dT[\d:.]{8,20}(?:Z|[+-]\d\d:\d\d)?/.exec(line.slice(0, 100));
  return (place) => (place === 'time' ? time?.[0] : fields.get(place));
};

/** Clients have ports, which are removed, because an IPv6 address is not always in brackets. */
const splitAws: Splitter = (line) => {
  const words = wordsIn(line).map((word, at) => (at < 4 ? word.replace(/:\d{1,5}$/, '') : word));
  return (place) => words[Number(place) - 1];
};

const rows: ReadonlyArray<readonly [name: string, split: Splitter, fields: string]> = [
  [
    'aws-alb', // type time elb client target request target response status target-status received sent "request"
    splitAws,
    'time=2,client=4,duration=6+7+8:s,status=9,bytes=12,request=13,agent=14',
  ],
  [
    'aws-elb', // classic: without a type
    splitAws,
    'time=1,client=3,duration=5+6+7:s,status=8,bytes=11,request=12,agent=13',
  ],
  [
    'aws-s3', // owner bucket [time] client requester id operation key "request" status error sent size total own
    splitWords,
    'time=3,client=4,request=9,status=10,bytes=12,duration=14:ms,referer=16,agent=17',
  ],
  [
    'envoy', // [time] "request" status flags received sent duration upstream "forwarded" "agent" "id" "host"
    splitWords,
    'time=1,request=2,status=3,bytes=6,duration=7:ms,client=9,agent=10,host=12',
  ],
  [
    'istio', // the same with two details and "transport failure" after the flags, and addresses at its end
    splitWords,
    'time=1,request=2,status=3,bytes=9,duration=10:ms,client=12|20,agent=13,host=15',
  ],
  [
    'iis', // client, user, date, time, service, name, server, duration, received, sent, status, code, method, path, query
    splitCommas,
    'client=1,time=3+4,duration=8:ms,bytes=10,status=11,method=13,url=14,query=15',
  ],
  [
    'ltsv',
    splitLabels,
    'client=forwardedfor|host,time=time,request=req,method=method,url=uri,status=status,bytes=size,referer=referer,agent=ua,host=vhost,duration=reqtime:s',
  ],
  [
    'heroku',
    splitRouter,
    'client=fwd,time=time,method=method,url=path,host=host,status=status,bytes=bytes,duration=service:ms',
  ],
  [
    'akamai', // DataStream 2, JSON
    splitJson,
    'client=cliIP,time=reqTimeSec,method=reqMethod,host=reqHost,url=reqPath,query=queryStr,status=statusCode,bytes=bytes,agent=UA,referer=referer,type=rspContentType,duration=turnAroundTimeMSec:ms',
  ],
];

export const tableFormats: readonly LogFormat[] = rows.map(([name, split, places]) => {
  const fields = parseFieldMap(places);
  return { name, createParser: () => parserBy(fields, split, true) };
});
