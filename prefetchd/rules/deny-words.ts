// The words that keep a URL from being hinted. A GET should be safe (RFC 9110 9.2.1), but logout, delete and
// add-to-cart links that act on GET are the usual damage done by prefetching. deny-list.ts defines the matching.
// Deliberately absent: download (safe, and often the wanted page), api (a section of manuals), order, register,
// signup, subscribe and settings (forms, which act on POST), profile and archive (plain pages). A site can add its
// own words.

/** Actions: a path part that begins or ends with one is denied: /delete-account, /posts/5/delete. */
export const actionWords = new Set(
  `logout logoff signout signoff abmelden ausloggen deconnexion uitloggen afmelden desconectar
   delete destroy remove erase purge deactivate loschen loeschen borrar supprimer eliminar verwijderen
   cancel unsubscribe optout revoke disconnect refund
   confirm verify activate approve reject accept decline redeem
   upvote downvote unlike unfollow
   impersonate shutdown reboot
   password passwd
   addtocart add2cart addtobasket deleteaccount deleteuser confirmemail verifyemail
   resetpassword changepassword forgotpassword`.split(/\s+/),
);

/** Places where a visit has consequences or is personal: denied as a whole path part or its last word: /cart,
 *  /shopping-cart, /wp-admin; not /cart-racing. */
export const placeWords = new Set(
  `cart basket checkout warenkorb kasse panier carrito carrello winkelwagen
   payment payments billing
   admin administrator cron
   login signin logon auth oauth sso saml openid
   account
   token invite invitation confirmation verification`.split(/\s+/),
);

/** Ambiguous words: denied only as a whole path part: /posts/5/vote. */
export const wholeWords = new Set(
  `buy buynow pay paynow purchase donate
   vote like follow reset export bag callback`.split(/\s+/),
);
