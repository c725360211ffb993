// Recognises requests of scripts: their responses are data, not pages, whatever else the URL says.

const dataQuery =
  /(?:^|&)(?:relatedposts|wc-ajax|ajax|is_ajax|xhr|_pjax|jsonp|callback|rest_route|doing_wp_cron|_format=json|format=(?:json|raw|xml)|tmpl=component)(?:[=&]|$)/i;

/** Paths of interfaces for programs, by names that no page has. `/api/` alone is documentation on many sites. */
const dataPath =
  /\/(?:wp-json|graphql|socket\.io|sockjs|signalr|cdn-cgi|_next\/data|_nuxt\/data|(?:api|rest)\/v\d{1,3}|admin-ajax\.php|ajax(?:\.php)?)(?:\/|$)|\.(?:ashx|asmx|axd|svc|do\.json)$/i;

const longest = 2048;

/** @param query without `?` */
export function isDataQuery(query: string): boolean {
  return dataQuery.test(query.slice(0, longest));
}

/** @param path without query */
export function isDataPath(path: string): boolean {
  return dataPath.test(path.slice(0, longest));
}
