// Lists words in paths and queries of URLs that act or belong to one person, by language: log out, log in, register,
// account, profile, delete, cart, checkout, order, buy, unsubscribe, wishlist, password. A GET should be safe (RFC 9110
// 9.2.1), but links that act on GET are the usual cause of damage by prefetching. url-words.ts reads the lists,
// deny-list.ts and private-path.ts say what each list denies. Words are written as the language writes them; hyphens
// join the words of a phrase. Other spellings (loeschen, loschen, korzina) are derived by word-forms.ts.
//
//   acts     deny a part that begins or ends with them: /delete-account, /konto-löschen
//   places   deny a part equal to them or ending with them: /shopping-cart, /mon-panier; not /cart-racing
//   alone    deny a part equal to them, because they have other uses: /buy, /konto; not /konto-vergleich
//   self     deny the last part of a path if it is also the first: /profile, /de/bestellung; not /profile/jane
//   mine     deny a path that begins with them, and all paths below: /inbox/4
//   records  deny a path in which an id follows them: /order/8127
//   my       before any word above, deny a path that begins with both: /mein-konto, /mes-commandes
//
// Deliberately absent: download (safe, and often the wanted page), api (a section of manuals), subscribe and archive
// (plain pages), and words that name something else as often, such as cesta (Czech: road) as a place. A site can add
// its own words.

import words from './words-by-language.json' with { type: 'json' };

export type WordList = 'acts' | 'places' | 'alone' | 'self' | 'mine' | 'records' | 'my';

/** Words by language and list (acts, places, ...), several in each text. */
export const wordsByLanguage: Record<string, { readonly [list in WordList]?: readonly string[] }> =
  words;

const setOf = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Words for links that work once: a path is private if it begins with one, or if an id follows one. */
export const oneTimeWords = setOf(
  `magiclink magiclinks onetime onetimelink onetimepassword onetimesecret otp totp mfa 2fa twofactor
   joinchat passwordless loginlink signinlink emaillogin activation accountactivation optin doubleoptin doubleopt`,
);

/** Words for links that people give to others, and names of sessions: a path is private if an id follows one. */
export const shareWords = setOf(
  `share shares shared sharing sharelink sharedlink sharelinks sharedinvite join meetupjoin
   sid sess sessid sessionid phpsessid jsessionid`,
);

/**
 * Words for things that may be secret: a path is private only if a random id follows one, because all have other uses.
 */
export const keyWords = setOf(
  `s sh f d dl j l go link links click open view preview draft doc document file files download downloads upload
   survey poll sign signing esign gift giftcard voucher coupon code secret secrets private meeting meet room call note
   notes qr edit form forms key keys webhook webhooks hook hooks refer board boards cert certificate`,
);

/** Words that make a path private if they follow a word of the list `records`: /order/status, /sales/order/history. */
export const views = setOf(
  `view show detail details history track print reorder status confirmation confirmed received
   success complete completed summary`,
);

/** Words that may stand before or after a word of the list `records` in one segment of a path: view-order,
 *  order-received. */
export const beside = setOf(
  'view my your track show guest edit manage print pay received status id number',
);

/** Words that make a path private if they follow `my`, besides the words of the lists above. */
export const possessions = setOf(
  `page dashboard area library documents files listings ads courses learning data details home
   list lists bereich daten adressen bestellungen espace adresses informations datos compras pedidos dados compras
   pagina dati acquisti gegevens sida sidor side sider tiedot sivut strona stranka`,
);

/** Words for pages that only the owner of a profile opens: /profile/edit. */
export const ownViews = setOf('edit settings preferences password security notifications privacy');

/** Folders that contain a folder for each person: /u/jane/messages is judged as /messages. */
export const owners = setOf('u user users member members people profile profiles');

/** Folders that are ignored at the start of a path, as is a language: /shop/cart is judged as /cart. */
export const prefixes = setOf(
  `app portal web index api rest direct mail webmail forum community shop store sales customer boutique tienda loja
   negozio winkel sklep obchod butik kauppa magazin`,
);

/** Words that are ignored before and after a word of the deny list: login-page, CartController. */
export const frames = setOf('page form view index action controller handler step screen se sa sie');

/** Words that precede a telephone number: /call/0301234567. */
export const dialling = setOf(
  'tel telephone phone call sms text whatsapp wa mobile fax telefon telefono',
);

// Words that deny a query (page-query.ts): they act, are personal, were typed by a person, or stand for no page. There
// are more such words than for paths, because a path often contains a title, in which they are harmless.

/** Words for edit, add, order, buy, sign in and other actions in German, French, Spanish, Italian and Portuguese. */
const translatedActions = `
  bearbeiten hinzufugen hinzufuegen speichern senden bestellen kaufen anmelden registrieren modifier ajouter enregistrer
  envoyer commander acheter editar anadir guardar enviar comprar modifica modificare aggiungi salva invia acquista
  cancella adicionar salvar`;

/**
 * The name of a parameter is denied if one of its words is listed; two words may be joined (`order_id` is `orderid`).
 */
export const nameWords = setOf(`${translatedActions}
  action act actions do doing task cmd command op oper operation func function fn method event handler exec execute run
  submit perform process trigger job add insert create new edit update save send move moveto moveup movedown copy clone
  duplicate merge switch toggle set unset setlang clear empty flush refresh rebuild regenerate reload restore rollback
  undo import install upgrade backup ban unban block hide lock unlock close reopen mark unread watch unwatch bookmark
  favorite favourite fav wish wishlist compare dislike vote poll rate share report spam flag quote reply replyto
  replytocom unapproved moderation comment join leave apply claim enrol enroll attempt answer quiz switchrole
  sticky publish unpublish enable disable stop restart assign grant promote demote change withdraw transfer notify alert
  remind resend rsvp sync reindex generate friend kill terminate removed deleted added updated saved
  agree agreed accepted bet spin exit quit solve checkin tip give thumbs up down plus minus inc decr pinned dismiss
  dismissed ack seen read dump

  cart qty quantity coupon voucher promo promocode gift discount amount amt booking reserve reservation
  orderid idorder orderno ordernumber orderagain orderpay orderreceived vieworder payfor payer payerid invoice receipt
  orders bill statement bestellung transaction txn click clicked track tracking hit ping trackback pixel beacon impression

  key keys apikey hash sig sign signed code state ticket pin otp sid sess sesc zenid oscsid cfid xsid idp jwt guid uuid
  uid userid itok uenc policy awsaccesskeyid credentials expires expire expiry exp pw pwd pass member memberid client
  clientid customer customerid profile person contact phone tel telephone mobile fax address street zip postcode zipcode
  iban card cvv ssn dob birth birthday birthdate gender firstname lastname fullname surname nickname nick ip lat lng lon
  latitude longitude coords geo loc postal plz cep strasse first last fname lname nm born income salary symptom diagnosis
  patient staff employee student applicant friends buddy inviter recipient sender cc bcc subid who konto kunde kundennr
  usuario utilisateur benutzer nutzer senha clave contrasena mdp motdepasse reference pnr conf magic onetime otl chk
  checksum digest md crc mac sgn sigx cert perm secure private hidden shib cas lti wtrealm wa ssid near scope logged loggedin loggedout pm privmsg message messages msg note subject body

  query qry qs keyword keywords kw kwd kwds term terms find text txt phrase word needle lookup combine fulltext
  highlight hilit suche suchwort suchbegriff stichwort recherche rechercher busca buscar busqueda cerca ricerca zoek
  zoeken hledat szukaj sok

  ret dest destination next url uri href link goto go forward fwd continue nexturl continueurl back backurl backto
  target ref referer referrer out outbound outgoing jump host domain success error errors fail failure flash aff
  affiliate affid clickid partner landing retour zuruck zurueck weiter

  print printable printview printer pdf feed rss atom json jsonp xml csv ics ical vcf vcard dl download raw file filename
  attach xhr pjax partial fragment contentonly async iframe popup modal lightbox tmpl wrapper api rest wcapi rpc cron
  wsdl xsd sms whatsapp include tpl sql db cfg phpinfo ctl

  setting settings pref prefs cachebust uniq draft test testing trace profiler nocache cache bypass abtest experiment timestamp ts rand random rnd cb
  theme skin style styleid template design customize customized customizer builder editor editable elementor currency
  consent gdpr optin relatedposts redlink veaction oldid diff rcid
`);

/** Names of parameters that are denied only if they equal one of these words. */
export const wholeNames = setOf(`
  s q k w u e name names to tx ab fb like wc
`);

/** The name of a parameter is denied if its letters contain one of these texts, whose lengths are fixed, so that
 *  finding them takes linear time. */
export const nameFragments =
  /delete|remove|unsub|debug|admin|printer|printv|webcal|phpsess|url|subscri|cancel|confirm|verif|activat|approv|upload|download|checkout|wishlist|cookie|currency|coupon|preview|expir|session|sesskey|sessid|token|nonce|csrf|xsrf|passw|auth(?!ors?(?:id|name)?$)|logout|login|logon|mail|secret|credential|signature|hmac|redir|return|callback|search|ajax|user|apikey|captcha|xamz|xgoog|saml|oauth|openid/;

/** The value of a parameter is denied if it begins with one of these words, or ends with one and has at most three
 *  words. */
export const valueActions = setOf(`${translatedActions}
  add edit update create insert save submit send ban unban unsubscribe subscribe undo rollback revert merge reply
  newreply newthread newtopic newpost newpm editpost deletepost addpost addcomment postreply postcomment sendmessage
  sendmail sendtofriend emailfriend tellafriend lostpassword retrievepassword emailpassword postpass markread markall
  moderate setlang setcurrency editprofile del rm expire flush logging
`);

/** The value of a parameter is denied if it is one of these words, or ends with one and has at most three words. */
export const valuePlaces = setOf(`
  search finder ajax users mailto email print preview feed rss json xml wishlist profile inbox pm compare webhook
  registration authentication
`);

/** Values of parameters that are denied only if they equal one of these words. */
export const valueWords = setOf(`
  vote rate share watch unwatch bookmark favorite favourite report quote post posting new compose printable printpage
  printview printer pdf jsonp raw component rss1 rss2 rdf atom csv ics ical vcf vcard xls xlsx download advancedsearch
  results register signup viewprofile ucp mcp outbox sentbox pms private privmsg messages message unread unreadposts
  newposts newpost getnew getnewpost egosearch who online whoisonline memberlist members user usertalk usercp mailbox
  order orders orderopc orderconfirmation orderdetail orderfollow orderslip identity addresses address myaccount
  guesttracking quickorder subscriptions stop run exec execute install upgrade backup restore import clear empty set
  click go redirect jump out random captcha hook ipn phpinfo backend dashboard moderator modcp lostpw rp reauth currency
  form upload publish unpublish enrol attempt popup trackback xmlrpc iframe modal enable disable exit my mine saved settings
  purchases spacecp
`);

/** An act and other words joined without a separator: `deletepost`, `sendpassword`, `dologin`. */
export const joinedAction =
  /^(?:do|ajax)?(?:add|edit|del|delete|remove|update|save|send|submit|mark|cancel|confirm|activate|reset|change|lost|forgot|retrieve|report|post|move|rate|vote|print|share|new)(?:to|from)?(?:cart|basket|wishlist|post|topic|thread|item|user|account|comment|page|profile|message|pm|mail|email|password|friend|file|image|photo|article|news|entry|all|read|link|list|review|order|product|reply|address|subscription|favou?rite|bookmark)s?$|^do(?:add|edit|delete|remove|update|save|send|submit|log(?:in|out|on|off)|sign(?:in|out|up)|vote|rate|search|reset|register|upload|import|export)$/;
