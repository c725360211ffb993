// A page that is made at the build, where there is no visitor and no address.
export const prerender = true;
