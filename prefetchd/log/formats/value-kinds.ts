// Recognises what a text is by its form: the address of a client, the name of a host, a user agent.

import { isIP } from 'node:net';
import { isPublicAddress } from '../../../http/public-address.ts';

const longest = 1024;

/**
 * Finds the IP address in a word: also the first of a list, in quotes, in brackets or with a port (AWS writes
 * `2001:db8::1:2817`).
 * @returns the bare address; undefined if there is none
 */
export function addressIn(word: string): string | undefined {
  if (!/[.:]/.test(word)) return undefined;
  const [first = ''] = word.slice(0, longest).split(',', 1);
  const text = first.trim().replace(/^"|"$/g, '');
  const bracketed = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(text)?.[1];
  const candidates = [text, bracketed ?? text.replace(/:\d{1,5}$/, '')];
  return candidates.find((bare) => isIP(bare) !== 0);
}

/** Returns whether no visitor on the internet has the address, such as a proxy's in a private network. */
export function isPrivate(address: string): boolean {
  return isIP(address) !== 0 && !isPublicAddress(address);
}

/** Returns whether the text is the name of a host with a dot, or `localhost`, possibly with a port. */
export function isHostName(word: string): boolean {
  return (
    word.length < 280 &&
    /^(?:[\w-]{1,63}\.)+[a-z][\w-]{0,62}\.?(?::\d{1,5})?$|^localhost(?::\d{1,5})?$/i.test(word)
  );
}

/** Returns whether the text is a product and its version, as user agents begin: `Mozilla/5.0`. */
export function isUserAgent(text: string): boolean {
  return /^[A-Za-z][\w .+-]{0,63}\/v?\d/.test(text);
}
