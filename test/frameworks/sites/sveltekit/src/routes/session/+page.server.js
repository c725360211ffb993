export const load = ({ cookies }) => cookies.set('session', '1', { path: '/' });
