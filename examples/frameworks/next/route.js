// app/next-pages/route.js: GET /v1/hints of `prefetchd proxy --admin-port 7733`, for hints.jsx.
const service = process.env.PREFETCHD ?? 'http://127.0.0.1:7733';

export async function GET({ nextUrl }) {
  const url = nextUrl.searchParams.get('url') ?? '/';
  const query = new URLSearchParams({ url, kind: 'document', threshold: '0.2' });
  return Response.json(await (await fetch(`${service}/v1/hints?${query}`)).json());
}
