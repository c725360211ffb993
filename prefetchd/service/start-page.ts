// GET / without the dashboard: a plain page that lists the endpoints. It loads and runs nothing and cannot be framed.

export const startPagePolicy =
  "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

export const startPage = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>prefetchd</title>
<h1>prefetchd</h1>
<p>It learns which URL follows which, and says what a client will want next.</p>
<dl>
<dt><code>POST /v1/accesses</code><dd>learn one access or many
<dt><code>POST /v1/hints</code><dd>learn one access and answer with its hints
<dt><code>GET /v1/hints?url=&amp;client=</code><dd>hints, without learning
<dt><code>GET /v1/speculation-rules?url=</code><dd>the same for browsers
<dt><code>/v1/headers</code>, <code>/v1/mirror</code><dd>for web servers in front
<dt><code>GET</code>, <code>PATCH /v1/config</code><dd>thresholds, window and limit
<dt><a href="/metrics"><code>GET /metrics</code></a><dd>for Prometheus
<dt><a href="/healthz"><code>GET /healthz</code></a><dd>does it serve, and how is its store
</dl>
</html>
`;
