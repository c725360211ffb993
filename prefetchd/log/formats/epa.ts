// The format of EPA-HTTP (Internet Traffic Archive, 1995): host [DD:HH:MM:SS] "GET /x HTTP/1.0" 200 123. A line has a
// day but no month, year or zone; the archive documents them: 29 and 30 August 1995, EDT. Only that trace has this
// format, so its dates are fixed; a large step back in the day starts the next month.

import { emptyLine, type LineParser, type LogFormat } from '../log-format.ts';
import { readRequestAndResult } from './common-fields.ts';
import { clockMs, dayNumber, digits } from './log-time.ts';

const firstYear = 1995;
const firstMonth = 8;
/** Eastern daylight time, UTC-4. */
const zoneMs = 4 * 3_600_000;

export const epa: LogFormat = {
  name: 'epa',
  createParser,
};

function createParser(): LineParser {
  let monthsOn = 0;
  let lastDay = 1;
  return {
    parse(line) {
      if (line === '') return undefined;
      const bracket = line.indexOf(' [');
      if (bracket <= 0) return 'no [DD:HH:MM:SS]';
      const day = digits(line, bracket + 2, 2);
      const timeOfDay =
        line.charCodeAt(bracket + 4) === 0x3a ? clockMs(line, bracket + 5) : Number.NaN;
      if (!(day >= 1 && day <= 31) || Number.isNaN(timeOfDay) || line[bracket + 13] !== ']') {
        return '[DD:HH:MM:SS] cannot be read';
      }
      const read = emptyLine();
      const refused = readRequestAndResult(line, bracket + 14, read);
      if (typeof refused === 'string') return refused;
      if (refused !== line.length) return 'too many fields for epa';
      if (day < lastDay - 15) monthsOn++;
      lastDay = day;
      const month = firstMonth - 1 + monthsOn;
      const days = dayNumber(firstYear + Math.floor(month / 12), (month % 12) + 1, day);
      read.timeMs = days * 86_400_000 + timeOfDay + zoneMs;
      read.address = line.slice(0, bracket);
      return read;
    },
  };
}
