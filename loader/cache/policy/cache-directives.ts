// Cache-Control as directives (RFC 9111 5.2). Read the way that errs on the safe side: an argument that is
// no number counts as 0, of several the smallest, `;` and blanks separate as well, so that the `no-store` of
// `max-age=60; no-store` is seen, and a field whose quotes never close is `no-cache`.

import type { HeaderPair } from '../../page-load.ts';
import { fieldValue, nameList, splitMembers, unquote } from './fields.ts';

/** Longer times than 2^31 s are this long (RFC 9111 1.2.2). */
export const longestSeconds = 2 ** 31;

export class CacheDirectives {
  /** By name in lower case: null without an argument, '' with one that is broken. */
  readonly #arguments = new Map<string, (string | null)[]>();

  /** @param field the lines of Cache-Control, joined. */
  constructor(field: string) {
    const { members, unclosedQuote } = splitMembers(field, ',; \t');
    for (const member of members) {
      const equals = member.indexOf('=');
      const name = (equals === -1 ? member : member.slice(0, equals)).toLowerCase();
      this.#add(name, equals === -1 ? null : (unquote(member.slice(equals + 1)) ?? ''));
    }
    if (unclosedQuote) this.#add('no-cache', null);
  }

  has(name: string): boolean {
    return this.#arguments.has(name);
  }

  /** Does it stand alone, without field names that it is limited to? Once is enough. */
  isUnqualified(name: string): boolean {
    return (this.#arguments.get(name) ?? []).some(
      (argument) => nameList(argument ?? '').length === 0,
    );
  }

  /** The fields that `no-cache="..."` or `private="..."` names, in lower case. */
  fieldNames(name: string): string[] {
    return (this.#arguments.get(name) ?? []).flatMap((argument) => nameList(argument ?? ''));
  }

  /**
   * null: absent. 0 to 2^31, 0 for what is no number.
   * @param unlimited what it means without an argument.
   */
  seconds(name: string, unlimited = 0): number | null {
    const found = this.#arguments.get(name);
    if (found === undefined) return null;
    return Math.min(...found.map((argument) => (argument === null ? unlimited : delta(argument))));
  }

  #add(name: string, argument: string | null): void {
    const found = this.#arguments.get(name);
    if (found === undefined) this.#arguments.set(name, [argument]);
    else if (found.length < 100)
      found.push(argument); // of more, nobody means any
    else this.#arguments.set(name, [null]);
  }
}

export function cacheDirectives(headers: readonly HeaderPair[]): CacheDirectives {
  return new CacheDirectives(fieldValue(headers, 'cache-control'));
}

function delta(seconds: string): number {
  return /^\d+$/.test(seconds) ? Math.min(Number(seconds), longestSeconds) : 0;
}
