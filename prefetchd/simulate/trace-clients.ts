// Numbers the clients of a log and their addresses. A client is an address and a user agent; a log of millions of
// clients has few agents, and each address is kept once.

import { visitorAddress } from '../../http/visitor-address.ts';
import { TextTable } from '../model/tables/texts.ts';
import { PairTable } from './pair-table.ts';

export class TraceClients {
  readonly #addresses = new TextTable();
  readonly #agents = new TextTable();
  readonly #numbers = new PairTable();
  /** By client: the number of its address, which counts as one visitor. */
  readonly addressOf: number[] = [];

  /** @param client address and agent, as logs are read (access.ts) */
  numberOf(client: string): number {
    const end = client.indexOf(' ');
    const address = end < 0 ? client : client.slice(0, end);
    const agent = end < 0 ? '' : client.slice(end + 1);
    const [first, second] = [numberIn(this.#addresses, address), numberIn(this.#agents, agent)];
    const known = this.#numbers.get(first, second);
    if (known >= 0) return known;
    const number = this.addressOf.length;
    this.#numbers.set(first, second, number);
    this.addressOf.push(numberIn(this.#addresses, visitorAddress(address)));
    return number;
  }

  get count(): number {
    return this.addressOf.length;
  }
}

function numberIn(texts: TextTable, text: string): number {
  const known = texts.find(text);
  return known >= 0 ? known : texts.add(text);
}
