// URLs of one person, or that work for whoever has them: session ids, signatures, tokens, addresses, telephone
// numbers, and links of software that reset, confirm, share, invite or unsubscribe. None may be hinted.

const hex16 = '8f14e45fceea167a';
const hex32 = '9e107d9d372bb6826bd81d3542a419d6';
const hex64 = `${hex32}${hex32}`;
const jwt = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U';

/** The words of a text. */
const words = (text: string): readonly string[] => text.trim().split(/\s+/);

export const privateUrls: Record<string, readonly string[]> = {
  'session ids in paths': words(`/page;jsessionid=1A2B3C4D /shop/list.do;jsessionid=0000abcDEF.node1
    /page;JSESSIONID=4?page=2 /page%3Bjsessionid=1A2B3C4D /a;sid=17/b /a;PHPSESSID=abc
    /a;session=abc /a;v=1;token=abc /a;user=jane /a;key=7 /a;jsessionid=x;v=2/b.html
    /(S(abc123))/default.aspx /(X(1)S(lit3py55t21z5v55vlm25s55))/page.aspx /(F(abc))/page.aspx
    /PHPSESSID=abc/page /index.php/sid/7f3a9c/page /page/sessionid/8127 /s(sid)/sess/4f2/page`),
  'session ids in queries': words(`/page?PHPSESSID=abc /page?jsessionid=1 /page?sid=4
    /viewtopic.php?t=5&sid=8c7d6e5f4a3b2c1d /page?osCsid=abc /page?zenid=abc /page?CFID=1&CFTOKEN=2
    /page?session_id=4 /page?ASPSESSIONIDQQABCD=x /page?a=1;sid=4 /page?s%69d=4 /page?xsid=4`),
  signatures: words(`/a.pdf?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Signature=${hex64}
    /a?AWSAccessKeyId=AKIA&Signature=abc&Expires=1700000000
    /a?Expires=1700000000&Signature=abc&Key-Pair-Id=K1 /a?Policy=abc&Signature=abc&Key-Pair-Id=K1
    /a?GoogleAccessId=a&Expires=1&Signature=b /a?X-Goog-Signature=abc&X-Goog-Credential=b
    /a?sv=2022-11-02&sr=b&sp=r&se=2024-01-01&sig=abc /a?hdnea=st=1~exp=2~acl=/*~hmac=abc
    /a?hdnts=exp=1~hmac=abc /a?verify=1700000000-abc /a?md5=abc&expires=1700000000 /a?token=abc
    /a?access_token=abc /a?st=abc&e=1700000000&hash=x /a?t=${jwt} /a?hmac=abc /a;sig=abc
    /a?code=abc&state=x /a?ticket=ST-1-abc /a?SAMLResponse=abc
    /secure/${hex32}/1700000000/film.html`),
  'links by mail, of software': words(`/accounts/reset/MQ/5xz-3f2a9c1b7d8e/ /reset/MQ/set-password/
    /users/password/edit?reset_password_token=abc /users/confirmation?confirmation_token=abc
    /users/unlock?unlock_token=abc /u/password-reset/${hex32} /session/email-login/${hex32}
    /u/activate-account/${hex32} /invites/${hex32} /invites/abc12 /email/unsubscribe/${hex64}
    /ucp.php?mode=activate&u=2&k=ABC /wp-login.php?action=rp&key=abc&login=jane
    /my-account/lost-password/?key=abc&id=4 /customer/account/createpassword/?token=abc
    /customer/account/confirm/?id=4&key=abc /newsletter/subscriber/unsubscribe/id/5/code/abc
    /account/recover/password?hash=${hex32} /newsletter-subscribe?em=${hex32}&hash=${hex32}
    /module/ps_emailsubscription/verification?token=abc /account/activate/12/abc-170
    /account/reset/12/abc-170 /-/invites/abc12/accept /confirm-email/MTI/abc/ /email/verify/12/abc
    /unsubscribe?u=4&id=7 /magic-link/a8Kd /r/unsubscribe/17`),
  'one person\u2019s in shops': words(`/order-confirmation?id_cart=4&id_order=7&key=abc
    /index.php?controller=guest-tracking /index.php?controller=order-detail&id_order=7
    /checkout/order-received/1024/?key=wc_order_abc
    /checkout/order-pay/1024/?pay_for_order=true&key=wc_order_abc
    /12345/orders/${hex32}/authenticate?key=abc /checkouts/cn/Z2NwLWV1cm9wZS13ZXN0
    /cart/c/Z2NwLWV1cm9wZS13ZXN0MTowMUhB /account/order/abc12XyZ9kQ /wishlist/shared/index/code/abc/
    /sales/guest/view/ /sales/order/view/order_id/12/ /bestellung/4711 /commande/81 /zamowienie/81
    /tilaus/81 /siparis/4711 /zakaz/4711 /%D0%B7%D0%B0%D0%BA%D0%B0%D0%B7/4711
    /%E8%AE%A2%E5%8D%95/4711 /meine-bestellungen /moje-zamowienia /tracking/JD014600003828
    /parcel/1Z999AA10123456784 /sendungsverfolgung/00340434161094042557 /manage-booking/XK29DD
    /itinerary/K3J4 /boarding-pass/81`),
  'given away': words(`/join/abc123 /join/shared_invite/zt-1abc /l/meetup-join/19 /joinchat/AAAAAEk3
    /invite/abc /share/a8Kd /d/aB3dE6gH /dl/k3J9x0Lq/report.pdf /download/4f1b2c3d4e/report
    /files/aB3dE6gH9k /preview/3f2a9c1b /draft/aB3dE6gH /form/aB3dE6gH /survey/aB3dE6gH
    /sign/aB3dE6gH /j/81273645?pwd=abc /meet/aB3dE6gH /gift/aB3dE6gH /secret/3f2a9c1b /qr/aB3dE6gH
    /jane/${hex32} /wetransfer/downloads/4f9c2a7e1b8d3f6a5c0e9d2b/7a1b3c /hooks/${hex16}/run
    /calendar/ical/jane%40example.org/private-${hex32}/basic`),
  'addresses and numbers': words(`/u/jane@example.org /unsub/jane%2Bnews%40example.org
    /user/jane(at)example.org /call/+491701234567 /tel:+491701234567 /call/030-1234567
    /whatsapp/00491701234567 /who-called/555-010-4477 /who-called/(555)%20010-4477
    /sms/01701234567`),
};

/** Files that pages embed, with a session or a signature. */
export const privateFileUrls = words(`/style.css;jsessionid=1A2B3C4D
  /img/logo.png;jsessionid=abc?v=3 /img/a.jpg?X-Amz-Signature=${hex64}
  /img/a.jpg?Expires=1&Signature=abc&Key-Pair-Id=K1 /app.js?sid=4`);

/** What only looks so: matrix parameters, hashes and ids of pages that all may open. */
export const publicUrls = words(`/cars;color=red /map;zoom=3/berlin /wiki/Steins;Gate
  /wiki/Session_(computer_science) /sessions/opening-keynote /session/opening-keynote
  /isbn/0306406152 /ean/0012345678905 /call/of-duty-4 /phones/pixel-9 /join-us /files/manual.pdf
  /download/v1.2.3 /form/contact /d/berlin /s/shoes /draft/2024 /sign/language-for-beginners
  /gift/cards /(2024)/archive /wiki/S(7)`);
