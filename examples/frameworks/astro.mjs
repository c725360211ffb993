// src/middleware.js of Astro.
import { hints } from 'loadahead/web';

const prefetch = hints();
export const onRequest = (context, next) => {
  if (context.isPrerendered) return next(); // it has no visitor
  const site = async () => {
    const response = await next();
    // Astro adds its cookies later, and a page that sets one is for one visitor.
    if (!context.cookies.headers().next().done) response.headers.append('Cache-Control', 'private');
    return response;
  };
  return prefetch(context.request, site, { address: context.clientAddress });
};
