// The deny list: what may never be hinted by its name, what a title may say, and that no spelling slips by.

import { describe, expect, it } from 'vitest';
import { denyList, urlRule } from '../../../prefetchd/rules/deny-list.ts';

const isDenied = denyList();

describe('the default list', () => {
  it.each([
    ...['/logout', '/log-out', '/log_out', '/users/sign_out', '/Account/LogOff', '/signoff.aspx'],
    ...['/logout/', '/logout.php', '/user.logout', '/log.out', '/LOGOUT', '/LoGoUt', '/doLogout'],
    ...['/posts/5/delete', '/delete/5', '/delete-account', '/deleteAccount', '/user_delete.php'],
    ...['/delete-550e8400-e29b-41d4-a716-446655440000', '/remove-item-from-cart', '/user.delete'],
    ...['/cancel', '/cancel-my-plan', '/orders/7/cancel', '/unsubscribe/abc', '/email/confirm/abc'],
    ...['/verify-email/abc', '/password/reset', '/reset-password', '/forgot_password'],
    ...['/cart', '/cart/add/5', '/shopping-cart', '/my-cart', '/basket.html', '/checkout/step2'],
    ...['/check-out', '/buy', '/pay/7', '/payment', '/admin', '/admin/users', '/wp-admin/x.php'],
    ...['/wp-login.php', '/login', '/sign-in', '/oauth2/authorize', '/auth/callback', '/saml/acs'],
    ...['/my-account', '/invite/abc', '/posts/5/vote', '/posts/5/like', '/reports/export'],
    ...['/log-out-now', '/users-sign_out', '/add2cart', '/opt-out', '/checkoutV2', '/buy-now'],
    ...['/register', '/order', '/abmelden', '/d%C3%A9connexion', '/warenkorb', '/wp-cron.php'],
    '/posts/5/loeschen',
  ])('a link that acts or is personal is never hinted: %s', (url) => {
    expect(isDenied(url, 'document')).toBe(true);
  });

  it.each([
    ...['?action=logout', '?do=delete&id=4', '?add-to-cart=5', '?remove_item=a', '?access_token=x'],
    ...['?a=1;logout', '?next=/logout', '#/logout', ';logout'],
  ])('queries, parameters and fragments are judged like the path: /page%s', (rest) => {
    expect(isDenied(`/page${rest}`, 'document')).toBe(true);
  });

  it.each([
    ...['/', '/category/cats', '/catalog/carts', '/cartography', '/blog/cart-racing'],
    ...['/blog/how-to-delete-files', '/blog/why-we-removed-the-logout-button', '/authors/jane'],
    ...['/blog/deleted-scenes', '/administration-of-estates', '/paying-guests', '/payroll'],
    '/buyers-guide',
    ...['/authentic-food', '/people-like-you', '/vote-results', '/reset-css', '/login-form-design'],
    ...['/tokens-and-trees', '/api/fs.html', '/download', '/subscribe', '/order/pizza'],
    ...['/2024/05/17/', '/a.b.c', '/Cancellation-policy', '/exporters', '/%', '/100%25', '/%ff'],
    ...['/docs/installation', '/about?page=2', '/bags', '/callbacks'],
  ])('a title or another word is no action: %s', (url) => {
    expect(isDenied(url, 'document')).toBe(false);
  });

  it.each([
    ...['/%6cogout', '/%6Cog%6Fut', '/%256cogout', '/%25256cogout', '/log%2dout', '/a%2flogout'],
    ...['/%6c%6f%67%6f%75%74', '/%ff%6cogout', '/a%3faction=logout', '/a%5clogout', '/a\\logout'],
    ...['/ｌｏｇｏｕｔ', '/lógout', '//host/logout', 'https://site.example/logout'],
  ])('no spelling slips by: %s', (url) => {
    expect(isDenied(url, 'document')).toBe(true);
  });

  it('in doubt denied: too long, escaped too often, dot segments that escapes hid', () => {
    expect(isDenied(`/${'a'.repeat(2048)}`, 'document')).toBe(true);
    expect(isDenied(`/%${'25'.repeat(8)}61`, 'document')).toBe(true);
    expect(isDenied('/%252561', 'document')).toBe(false);
    expect(isDenied('/docs/%252e%252e/x', 'document')).toBe(true);
  });

  it('a file that is only shown is judged by its folders', () => {
    const acting = ['/cart/clear.css', '/cart/clear.js', '/logout.js', '/pixel.gif?action=logout'];
    const urls = ['/icons/delete.svg', '/icons/delete.svg?v=3', ...acting, '/api/cart'];
    expect(urls.filter((url) => !isDenied(url, 'object'))).toEqual(urls.slice(0, 2));
    expect(isDenied('/icons/delete.svg', 'document')).toBe(true);
  });

  it('the host is not judged', () => {
    expect(isDenied('https://login.example/a', 'document')).toBe(false);
  });
});

describe('options', () => {
  it('extra: words, paths with all below, expressions', () => {
    const denied = denyList({ extra: ['kündigen', '/intern', /\/v\d+\/secret/i] });
    const two = denyList({ extra: ['einen-termin'] });
    expect(two('/einenTermin', 'document')).toBe(true);
    expect(two('/nur/einen_termin_absagen', 'document')).toBe(true);
    expect(two('/einen-anderen-termin', 'document')).toBe(false);
    const urls = ['/kuendigen', '/K%C3%BCndigen', '/vertrag-kundigen', '/intern', '/Intern/x?y'];
    expect(urls.map((url) => denied(url, 'document'))).toEqual([true, true, true, true, true]);
    expect(denied('/internal', 'document')).toBe(false);
    expect(denied('/wie-kann-ich-kundigen', 'document')).toBe(false);
    expect(denied('/v2/Secret', 'document')).toBe(true);
    expect(denied('/%762/secret', 'document')).toBe(true);
    expect(denied('/logout', 'document')).toBe(true);
  });

  it('an expression with g or y forgets where it matched', () => {
    const denied = denyList({ extra: [/secret/g] });
    expect([1, 2, 3].map(() => denied('/secret', 'document'))).toEqual([true, true, true]);
  });

  it('replace: instead of the default words, and of all that is built in', () => {
    const denied = denyList({ replace: ['exit'] });
    const urls = ['/exit', '/logout', '/order/8127', '/watch/dQw4w9WgXcQ'];
    expect(urls.filter((url) => denied(url, 'document'))).toEqual(['/exit']);
    expect(urlRule({ replace: ['exit'] })('/watch/dQw4w9WgXcQ', 'document')).toBeNull();
    expect(denyList({ replace: [] })('/logout', 'document')).toBe(false);
  });

  it('allow wins, and dot segments do not', () => {
    const denied = denyList({ allow: ['/docs/admin'], extra: ['docs'] });
    expect(denied('/docs/admin/login', 'document')).toBe(false);
    expect(denied('/docs/administer', 'document')).toBe(true);
    expect(denied('/docs/admin/%2e%2e/%2e%2e/logout', 'document')).toBe(true);
  });

  it.each([7, '', 'two words', '5', '-', 'a/b'])('a wrong pattern is misuse: %j', (pattern) => {
    expect(() => denyList({ extra: [pattern as string] })).toThrow(
      expect.objectContaining({ code: 'invalid-option' }),
    );
  });
});

it('downloads and feeds as documents, unless they are allowed', () => {
  const urls = ['/setup.EXE', '/a%2Ezip', '/feed/', '/?feed=rss2', '/paper.pdf', '/feedback'];
  const denied = denyList();
  expect(urls.filter((url) => denied(url, 'document'))).toEqual(urls.slice(0, 4));
  expect(urls.filter((url) => denied(url, 'object'))).toEqual([]);
  expect(denyList({ allow: ['/feed'] })('/feed/', 'document')).toBe(false);
});
