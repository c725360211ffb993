// Queries that scripts send for data: their answers are no pages, whatever the path says.

const dataQuery =
  /(?:^|&)(?:relatedposts|wc-ajax|ajax|is_ajax|xhr|_pjax|jsonp|callback|rest_route|doing_wp_cron|_format=json|format=(?:json|raw|xml)|tmpl=component)(?:[=&]|$)/i;

const longestQuery = 2048;

/** @param query without `?` */
export function isDataQuery(query: string): boolean {
  return dataQuery.test(query.slice(0, longestQuery));
}
