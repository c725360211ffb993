import { ask } from '../prefetchd/service/ask.ts';

/** What a service tells somebody new of the page `to` after `from`; 0: nothing. */
export async function learnedProbability(service: string, from: string, to: string) {
  const asked = `/v1/hints?url=${encodeURIComponent(from)}&threshold=0&limit=100`;
  const { json } = await ask(service, asked);
  const hint = json.hints.find(({ url }: { url: string }) => url === to);
  return hint?.probability ?? 0;
}
