// The words that keep a URL from being hinted, each list with its reason. A GET should be safe (RFC 9110
// 9.2.1), but logout, delete and add-to-cart links that act on GET are what goes wrong with prefetching
// in the field. How a word is matched stands in deny-list.ts. Not here, on purpose: download (safe, and
// often the very page that is wanted), api (a section of manuals), order, register, signup, subscribe
// and settings (forms, which act on POST), profile and archive (plain pages). A site adds its own.

/** They act: denied where a part of the path begins or ends with one: /delete-account, /posts/5/delete. */
export const actionWords = new Set(
  `logout logoff signout signoff abmelden ausloggen deconnexion uitloggen afmelden desconectar
   delete destroy remove erase purge deactivate loschen supprimer eliminar verwijderen
   cancel unsubscribe optout revoke disconnect refund
   confirm verify activate approve reject accept decline redeem
   upvote downvote unlike unfollow
   impersonate shutdown reboot
   password passwd
   addtocart add2cart addtobasket deleteaccount deleteuser confirmemail verifyemail
   resetpassword changepassword forgotpassword`.split(/\s+/),
);

/** Places where a visit has consequences or is personal: denied as a whole part of the path or as its
 *  last word: /cart, /shopping-cart, /wp-admin; not /cart-racing. */
export const placeWords = new Set(
  `cart basket checkout warenkorb kasse panier carrito carrello winkelwagen
   payment payments billing
   admin administrator cron
   login signin logon auth oauth sso saml openid
   account
   token invite invitation confirmation verification`.split(/\s+/),
);

/** Words of many meanings: denied only when they are a whole part of the path: /posts/5/vote. */
export const wholeWords = new Set(
  `buy buynow pay paynow purchase donate
   vote like follow reset export bag callback`.split(/\s+/),
);
