// Completes the URL of a page as a user types it: `example.org/x` or `localhost:8080`.

import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { CommandError } from '../command-error.ts';
import { nextCommand } from '../run-command.ts';

/** Returns the URL with `http://` before it if the user typed no scheme. @throws CommandError if it cannot be a URL */
export async function pageAddress(text: string): Promise<string> {
  const typed = text.trim();
  if (typed === '') throw new CommandError('the URL is empty; write http://host/path', 2);
  const url = hasScheme(typed) ? typed : `http://${typed}`;
  if (!hasScheme(typed)) await refuseFile(typed);
  const port = /^https?:\/\/(?:[^/?#]*@)?(?:\[[^\]]*\]|[^/?#:]*):(\d+)(?![^/?#])/i.exec(url)?.[1];
  if (port !== undefined && Number(port) > 65_535) {
    throw new CommandError(`${typed}: ${port} is no port; ports end at 65535`, 2);
  }
  return url;
}

/** Returns whether the text has a scheme: a colon may also follow a host (`a.example:80`) or a user (`me:key@host`). */
function hasScheme(typed: string): boolean {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(typed)) return true;
  const [authority = ''] = typed.split(/[/?#]/, 1);
  if (/:\d*$/.test(authority) || authority.includes('@')) return false;
  return URL.canParse(typed);
}

/**
 * Refuses the name of a file or folder. A folder may have the name of a host (`example.org/`), so a name counts as a
 * folder only if it is written as a path. Host names do not end like the names of files that are refused here.
 */
async function refuseFile(typed: string): Promise<void> {
  const found = await stat(typed).catch(() => null);
  if (found === null && /^\.{0,2}\/|^[^/]*\.(?:txt|json|html?|csv|log|har|list)$/i.test(typed)) {
    throw new CommandError(`${typed}: there is no such file, and a URL is http://host/path`, 2);
  }
  if (found?.isFile()) {
    const serve = nextCommand('loadahead', `serve ${dirname(typed)}`);
    throw new CommandError(`${typed} is a file; serve its folder with ${serve}`, 2);
  }
  if (found?.isDirectory() && /^[./]/.test(typed)) {
    const serve = nextCommand('loadahead', `serve ${typed}`);
    throw new CommandError(`${typed} is a folder; serve it with ${serve}`, 2);
  }
}
