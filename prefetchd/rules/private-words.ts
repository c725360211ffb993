// Words of paths to what is one person's, read by private-path.ts. deny-words.ts has those that act or are denied
// wherever they stand (cart, account, invite, verify, password). Left out because they are usually public pages:
// users, profile, thread, case, quote, download, dashboard, booking and tickets without an id.

const setOf = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/));

/** Links that work once: private at the head of a path, elsewhere before an id. */
export const oneTimeWords = setOf(
  `magiclink magiclinks onetime onetimelink onetimepassword onetimesecret otp totp mfa 2fa twofactor
   passwordless loginlink signinlink emaillogin activation accountactivation optin doubleoptin doubleopt`,
);

/** Places of the visitor: private at the head of a path, with all below. */
export const placesOfMine = setOf(
  `inbox outbox mailbox me my messages conversations dm dms notifications orders invoices receipts
   drafts wishlist watchlist bookmarks settings preferences posteingang bestellungen rechnungen`,
);

/** Collections of which each member is one person's: private before an id. */
export const collections = setOf(
  `order orders orderid purchaseorder invoice invoices receipt receipts ticket tickets
   booking bookings reservation reservations appointment appointments
   message messages conversation conversations chat chats mail mails email emails inbox
   request requests claim claims customer customers patient patients shipment shipments tracking
   payslip payslips transaction transactions subscription subscriptions prescription prescriptions
   recover recovery rsvp reactivate
   bestellung bestellungen rechnung rechnungen buchung buchungen commande commandes facture factures
   pedido pedidos factura facturas ordine ordini fattura bestelling bestellingen factuur`,
);

/** Links that are given away: private before an id. */
export const shareWords = setOf('share shares shared sharing sharelink sharedlink sharelinks');

/** Before a random id only, because `/s/` and `/f/` have other uses. */
export const shareLetters = setOf('s sh f');

/** Views of a member whose id is elsewhere: /order/status, /sales/order/history. */
export const views = setOf(
  `view show detail details history track print reorder status confirmation confirmed received
   success complete completed summary`,
);

/** Words beside a collection in one segment: view-order, order-received. */
export const beside = setOf(
  'view my your track show guest edit print pay received status id number',
);

/** What follows `my`: my-orders, mein-konto. */
export const possessives = setOf('my mein meine mon mes mi mis mijn');
export const possessions = setOf(
  `account profile page dashboard area library documents files listings ads courses learning data
   details home subscriptions favorites favourites addresses list lists
   konto bereich profil compte espace commandes cuenta pedidos perfil bestellingen`,
);

/** What a person's own page has below it: /profile/edit. */
export const ownViews = setOf('edit settings preferences password security notifications privacy');

/** Folders of a person: what follows their name may be a place of theirs (/u/jane/messages). */
export const owners = setOf('u user users member members people profile profiles');

/** Folders that say nothing: the head is what follows. */
export const prefixes = setOf(
  'app portal web index api rest direct mail webmail forum community shop store sales',
);
