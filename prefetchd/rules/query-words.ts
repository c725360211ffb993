// The words that keep a page with a query from being learned, besides those of deny-words.ts: what acts, what is
// personal, what a person typed, and what is no page. page-query.ts defines the matching. Queries get more words than
// paths, because a path is a title more often than a query is.

const words = (text: string) => new Set(text.trim().split(/\s+/));

/** Edit, add, order, buy, sign in and other actions in German, French, Spanish, Italian and Portuguese. */
const translatedActions = `
  bearbeiten hinzufugen hinzufuegen speichern senden bestellen kaufen anmelden registrieren modifier ajouter enregistrer
  envoyer commander acheter editar anadir guardar enviar comprar modifica modificare aggiungi salva invia acquista
  cancella adicionar salvar`;

/** A name is denied if one of its words is listed; two words may be joined (`order_id` is `orderid`). */
export const nameWords = words(`${translatedActions}
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

/** Names that are denied only as a whole. */
export const wholeNames = words(`
  s q k w u e name names to tx ab fb like wc
`);

/** A name is denied if its letters contain one of these. Linear: alternatives of fixed length. */
export const nameFragments =
  /delete|remove|unsub|debug|admin|printer|printv|webcal|phpsess|url|subscri|cancel|confirm|verif|activat|approv|upload|download|checkout|wishlist|cookie|currency|coupon|preview|expir|session|sesskey|sessid|token|nonce|csrf|xsrf|passw|auth(?!ors?(?:id|name)?$)|logout|login|logon|mail|secret|credential|signature|hmac|redir|return|callback|search|ajax|user|apikey|captcha|xamz|xgoog|saml|oauth|openid/;

/** A value is denied if it begins with one of these words, or ends with it and has at most three. */
export const valueActions = words(`${translatedActions}
  add edit update create insert save submit send ban unban unsubscribe subscribe undo rollback revert merge reply
  newreply newthread newtopic newpost newpm editpost deletepost addpost addcomment postreply postcomment sendmessage
  sendmail sendtofriend emailfriend tellafriend lostpassword retrievepassword emailpassword postpass markread markall
  moderate setlang setcurrency editprofile del rm expire flush logging
`);

/** A value is denied if it is one of these words, or ends with it and has at most three. */
export const valuePlaces = words(`
  search finder ajax users mailto email print preview feed rss json xml wishlist profile inbox pm compare webhook
  registration authentication
`);

/** Values that are denied only as a whole. */
export const valueWords = words(`
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

/** Words that were not separated: `deletepost`, `sendpassword`, `dologin`. */
export const joinedAction =
  /^(?:do|ajax)?(?:add|edit|del|delete|remove|update|save|send|submit|mark|cancel|confirm|activate|reset|change|lost|forgot|retrieve|report|post|move|rate|vote|print|share|new)(?:to|from)?(?:cart|basket|wishlist|post|topic|thread|item|user|account|comment|page|profile|message|pm|mail|email|password|friend|file|image|photo|article|news|entry|all|read|link|list|review|order|product|reply|address|subscription|favou?rite|bookmark)s?$|^do(?:add|edit|delete|remove|update|save|send|submit|log(?:in|out|on|off)|sign(?:in|out|up)|vote|rate|search|reset|register|upload|import|export)$/;
