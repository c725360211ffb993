// Paths as real software writes them. Those of `privatePaths` are one person's or a link that only its holder knows:
// none may be learned. Those of `unclearPaths` have an id that names a public page as often as a shared one. Those of
// `publicPaths` are pages that anybody may open.

const hex32 = '9e107d9d372bb6826bd81d3542a419d6';
const hex40 = 'da39a3ee5e6b4b0d3255bfef95601890afd80709';
const uuid = '550e8400-e29b-41d4-a716-446655440000';
const jwt = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U';

/** The words of a text. */
const words = (text: string): readonly string[] => text.trim().split(/\s+/);

export const privatePaths: Record<string, readonly string[]> = {
  'links by mail': words(`/magic-link/${jwt} /magic-link/a8Kd /magic-link /en/magic-link/12345
    /app/magic_link/aB3 /users/magicLink/9f3 /reset/${hex32} /reset-password/abc
    /password/reset/${hex40} /forgot-password /invite/Xk29sd /invitation/17 /accept/8127
    /unsubscribe/${uuid} /newsletter/unsubscribe/jane /verify/${hex32} /verify-email/3/abc
    /email-verification/19 /confirm/17 /confirmation/AbC123 /activate/jane /activation/8127
    /account-activation/k3j4 /one-time/81f0 /onetime-link/4 /one-time-password /otp /otp/481920
    /2fa/1 /passwordless/8k2J /login-link/9f2K /sign-in-link/77 /double-opt-in/9182 /rsvp/8k2J9d
    /recover/91ab2`),
  addresses: words(`/u/jane@example.org /u/jane%40example.org /u/jane%2540example.org
    /users/jane.doe+news@mail.example.co.uk/posts /subscribers/jane_doe@example.museum
    /mailman/options/list/jane--at--example.org /list/announce@lists.example.org/message/5
    /calendar/jane@example.org/events.html /profil/j%C3%BCrgen@b%C3%BCcher.example
    /a/b/c/jane@163.com /call/+491701234567 /wa/+1%20(555)%20010-4477`),
  tokens: words(`/${uuid} /files/${uuid.toUpperCase()} /report-${uuid}.html /d/${hex32}
    /d/${hex40}/edit /t/${jwt} /page;jsessionid=${hex32.toUpperCase()}
    /(S(lit3py55t21z5v55vlm25s55))/default.aspx /view/Zx8QnB2vKp4TyW7rLm1Sd
    /v/xYz12-AbC_9kLmNoPq3rSt7 /k/AIzaSyD4x8sQpLmN3vB7kT2wR9yU1 /x/4f9c2a7e1b8d3f6a5c0e9d2b
    /q/JBSWY3DPEHPK3PXPJBSWY3DP /posts/507f1f77bcf86cd799439011 /z/qwkjxhzvbnmpdfgtrlcsqwxz
    /reader/0123456789012345678901234`),
  'shared links': words(`/share/a8Kd /share/12 /shared/9f3Ka2 /de/share/7Hn2 /app/shares/8127
    /share-link/5f3a /s/AbCdEfGhIjKlMnO /index.php/s/q2Wx9ZpK4mYtB7n /f/3f2a9c1b7d
    /s/fk3n9x0q2m4v7zb/contract.pdf /scl/fi/8k2m4n6p9q1r3s5t7v9x1/plan.pdf
    /scl/fo/h3k5m7n9p1q3r5s7t9v1x/AAbbCCddEEff
    /document/d/1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs74OgvE2upms/edit
    /spreadsheets/d/1aB2cD3eF4gH5iJ6kL7mN8oP9qR0sT/view /drive/folders/0B7l10Bj_LprhQnpSRkpGMGV2eE0
    /file/d/0B7l10BjLprhQnpSRkpGMGV2eE0/view /forms/d/e/1FAIpQLSe7x0mVq2kZ8wB3nT5yR/viewform
    /Meeting-notes-${hex32} /jane/Private-plan-${hex32} /file/AbC1dEfG2hIjK3lMnO4pQr/Design
    /downloads/0c1d2e3f4a5b6c7d8e9f/abcdef /lists/shared/8f3Ka1`),
  shops: words(`/order/8127 /order/8127/print /order /orders /orders/8127 /de/orders/page/2
    /order/INV-2024-17 /order-8127 /order_8127.html /my-account/view-order/1024/
    /checkout/order-received/1024/ /shop/view-order/1024 /sales/order/history
    /sales/order/view/order_id/12/ /account/orders/4f1b2c /12345678/orders/${hex32} /a/orders/1001
    /customer/5/addresses /invoice/2024-001 /invoices/5.pdf /invoice-00017.pdf /receipt/77 /wishlist
    /wishlist/jane /bestellung/4711 /rechnungen /rechnung/2024-12 /commande/81 /pedidos/12
    /track-order/8127 /order/status /order-confirmation/71 /shipment/1Z999
    /subscriptions/81/cancel`),
  'bookings and support': words(`/booking/XK29DD /bookings/812 /reservation/12/edit /appointments/19
    /tickets/17 /ticket/17/reply /support/ticket/8127 /hc/en-us/requests/12345 /claims/991
    /patients/12 /prescription/55 /payslips/2024-05`),
  'places of the visitor': words(`/inbox /inbox/unread /direct/inbox/ /mail/inbox/4 /messages
    /messages/17 /messages/jane /en/messages /members/jane/messages/ /u/jane/messages/sent
    /u/jane/preferences/emails /u/jane/notifications /conversations/19
    /forum/conversations/lunch.812 /me /me/likes /api/v1/me /users/me/photos /my/courses /my/page
    /my-orders /my_profile /myDashboard /mein-konto /meine-bestellungen /mes-commandes
    /notifications /settings /settings/profile /user/settings /users/5/edit /profile/edit
    /profile/password /posts/5/edit /articles/12/edit /drafts/9 /bookmarks /watchlist`),
};

export const unclearPaths = words(`/watch/dQw4w9WgXcQ /dQw4w9WgXcQ /embed/kJQP7kiw5Fk
  /shorts/3f2a9c1b7d8 /p/CxY3zAb9dEf /dp/B08N5WRWNQ /i-left-my-job-3f2a9c1b7d8e /pastebin/aB3dE6gH
  /track/4cOdK2wGLETKBW3P /commit/3f2a9c1b /tv/qe55q80c /gallery/xK9d2mQ`);

export const publicPaths: Record<string, readonly string[]> = {
  'blogs and news': words(`/ /2024/05/12/some-long-title-1234567/
    /news/2024/05/12/some-long-title-1234567 /2024/05/ /archives/2019-03 /20240512/story.html
    /news/world-europe-68765432 /article/1234567890
    /artikel/Wie-man-Rechnungen-schreibt-12345678.html
    /politik/deutschland/rechtsschutzversicherung-a-1234567.html
    /2024/may/12/what-we-know-so-far-about-the-covid19-vaccine /category/recipes/page/3/
    /tag/web-performance /author/jane-doe/ /authors/jane /@jane /@jane/why-i-moved-to-sweden
    /@jane@social.example/1093847561029384756 /about /ghost-5-release/ /newsletter/issue-112
    /podcast/episode-7-the-inbox /blog/inbox-zero-in-10-minutes /blog/how-to-share-3-files
    /blog/order-of-operations /blog/my-year-2023 /my-favourite-recipes /my-story /blog/me-and-my-cat
    /magic-link-explained /blog/magic-links /post/20-otp-myths /blog/2024-in-review
    /10-things-you-did-not-know /10thingsyoudidntknowabout /questions-and-answers`),
  'forums and code': words(`/t/how-do-i-reset-the-router/12345/7 /t/topic/987654 /u/jane
    /u/jane/summary /u/jane/activity/topics /users/jane /users/22656/jon-skeet /members/jane.12345/
    /threads/which-phone-should-i-buy.1234567/page-12 /viewtopic.php
    /r/programming/comments/123456/a_title_of_words/
    /questions/11227809/why-is-processing-a-sorted-array-faster /group/project/-/issues/1234
    /group/project/-/merge_requests/12345 /group/project/-/blob/main/README.md
    /group/project/-/tree/v1.2.3 /jane/repo/pull/1234 /jane/repo/releases/tag/v10.2.1-beta.3
    /package/@scope/name /npm/react@18.2.0/umd/react.html /package/lodash/v/4.17.21
    /projects/ruby-on-rails /show_bug.cgi /browser/trunk/src/orders.c`),
  documentation: words(`/docs/messages /docs/messages/sending /docs/orders /docs/api/orders/create
    /docs/share/permissions /docs/settings /docs/inbox /docs/magic-link /docs/otp
    /docs/subscriptions/overview /docs/api/v2/tickets
    /en/latest/howto/custom-management-commands.html /en/5.0/ref/models/querysets/
    /docs/11.x/eloquent-relationships /guides/v7.1/active_record_basics.html /3/library/hashlib.html
    /en-US/docs/Web/API/HTMLElement/offsetWidth /javadoc/java/util/concurrent/ConcurrentHashMap.html
    /api/classes/ActiveRecordBaseConnectionHandler.html /rfc/rfc9111.html /doc/html/rfc2616
    /abs/2401.12345v2 /doi/10.1145/3292500.3330701 /manual/mod/mod_rewrite.html /spec/http2/h2spec
    /utf8-to-utf16 /convert/mp3-to-mp4`),
  wikis: words(`/wiki/Foo_(bar) /wiki/Main_Page /wiki/Caf%C3%A9
    /wiki/%D0%9C%D0%BE%D1%81%D0%BA%D0%B2%D0%B0 /wiki/Schlittschuhlaufen
    /wiki/Kraftfahrzeughaftpflichtversicherung /wiki/ISO_8601 /wiki/AK-47 /wiki/B-52_Stratofortress
    /wiki/1234_(number) /wiki/Apollo_11 /wiki/Talk:Email_address /wiki/Order_(biology)
    /wiki/Message_in_a_Bottle /FrontPage /HowToUseGitHubApi /AListOfWhatWeDoInOurFreeTime
    /index.php/Category:Birds /display/DOC/Getting+Started /Strengths-and-weaknesses
    /rhythm/syzygy`),
  shops: words(`/products/blue-t-shirt /products/iphone-15-pro-max-256gb
    /collections/summer-2024/products/hat-7 /p/12345678 /p/1005001234567890.html /item/9783161484100
    /buch/978-3-16-148410-0 /ean/4006381333931 /itm/254012345678
    /catalog/product/view/id/42/s/blue-hat/ /blue-hat-p-1234.html /c/shoes/men/42 /sku/ABC-1234
    /product/rtx4090 /tv/oled55-c4 /order-forms /order-form.html /how-to-order /mail-order-catalogue
    /sale /sales /sales/summer /gift-cards /shipping-and-returns /customers/acme-corporation
    /customers /invoice-templates /tickets /tickets/the-magic-flute-2024 /booking /reservations
    /bookings/rooms /subscriptions /messages-of-hope /share-prices /shared-hosting
    /shares/tesla-motors /hotel/de/adlon-berlin.en-gb.html`),
  'media and places': words(`/photos/12345678@N00/52345678901 /maps/@52.5200,13.4050,12z
    /jane/status/1234567890123456789 /channel/news /user/jane /profile/jane-doe /people/jane-doe
    /video/123456789 /film/the-matrix-1999 /title/tt0133093/ /name/nm0000206/ /album/1234/abbey-road
    /teams/fc-bayern/2023-24 /flights/LH400 /weather/10115 /events/2024-05-12-summer-party
    /jobs/senior-engineer-4711 /listing/3-bed-house-for-sale-123456 /s/12345.html /f/2024 /privacy
    /contact`),
};

/** Files that pages embed. */
export const publicFiles = words(`/assets/app-BzQ3k9xT.js /img/${hex32}.jpg /${uuid}/logo.svg
  /_next/static/Zx8QnB2vKp4TyW7rLm1Sd/_buildManifest.js /static/css/main.${hex40}.css
  /wp-content/uploads/2024/05/icon@2x.png /npm/react@18.2.0/umd/react.min.js /shared/v2/app.js
  /messages/en.js /orders/app.css /settings/icon.svg /images/order/12.png`);

export const privateFiles = words(`/avatars/jane@example.org.png /messages/17/photo.jpg
  /orders/8127/label.png /api/orders/8127 /api/messages /api/files/${uuid}`);
