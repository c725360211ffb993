// Recognises the address of a client, and which of several addresses is the visitor's.

import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** An IP address, also the first of a list, in quotes, in brackets or with a port. @returns the bare address;
 *  undefined if there is none */
export function addressIn(word: string): string | undefined {
  // Most words take one of these two paths, because isIP is slow on words that it rejects.
  if (/^\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(word)) return word;
  if (!/[:,"]/.test(word)) return undefined;
  if (isIP(word) !== 0) return word;
  const [first = ''] = word.slice(0, longest).split(',', 1);
  const text = first.trim().replace(/^"|"$/g, '');
  for (const bare of [text, withoutPort(text)]) if (isIP(bare) !== 0) return bare;
  return undefined;
}

const longest = 1024;

/** Removes the port: `192.0.2.1:2817`, `[2001:db8::1]:2817`; AWS writes `2001:db8::1:2817`. */
export function withoutPort(text: string): string {
  const bracketed = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(text)?.[1];
  return bracketed ?? text.replace(/:\d{1,5}$/, '');
}

/** True for an address that no visitor on the internet has, such as a proxy's in a private network. */
export function isPrivate(address: string): boolean {
  return isIP(address) !== 0 && ipaddr.process(address).range() !== 'unicast';
}

/** True for the name of a host with a dot, or `localhost`, possibly with a port. */
export function isHostName(word: string): boolean {
  return (
    word.length < 280 &&
    /^(?:[\w-]{1,63}\.)+[a-z][\w-]{0,62}\.?(?::\d{1,5})?$|^localhost(?::\d{1,5})?$/i.test(word)
  );
}
