// src/middleware.js of Astro.
import { hints } from 'loadahead/web';

const prefetch = hints();
export const onRequest = ({ request, clientAddress: address, cookies }, next) => {
  const site = async () => {
    const response = await next();
    // Astro adds its cookies later, and a page that sets one is for one visitor.
    if (!cookies.headers().next().done) response.headers.append('Cache-Control', 'private');
    return response;
  };
  return prefetch(request, site, { address });
};
