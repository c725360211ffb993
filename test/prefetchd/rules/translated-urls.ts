// URLs of software in translation that act or are one person's: log out, log in, register, account, profile, delete,
// cart, checkout, order, buy, unsubscribe, wishlist and password. They are as PrestaShop and thirty bees ship them
// (`mein-Konto`, `suivi-commande-invite`), special pages of MediaWiki (`Spezial:Abmelden`), endpoints that shops of
// WooCommerce, Magento and Shopware set, and labels of Spree, Devise and Django turned into slugs.

export const translatedUrls: Record<string, string> = {
  en: `/user/logout /users/sign_out /customer/account/logout/ /Account/LogOff /wiki/Special:UserLogout /log-in /users/sign_in
    /customer/account/login/ /register /users/sign_up /create-account /customer/account/create/ /my-account /account
    /profile /identity /posts/5/delete /users/5/remove /wishlist/index/remove/item/5 /cart /shopping-cart /basket /trolley
    /checkout/cart/ /checkout /order /quick-order /order-history /guest-tracking /credit-slip /buy /buy-now /unsubscribe
    /newsletter/unsubscribe /wishlist /my-wishlist /forgot-password /password-recovery /accounts/password_reset/
    /my-account/lost-password/ /change-password /empty-cart /login-page /userlogin /view-cart`,
  de: `/abmelden /ausloggen /wiki/Spezial:Abmelden /wiki/Spezial:Benutzerkonto_anlegen /anmelden /Anmeldung /einloggen
    /kunden-login /authentifizierung /registrieren /konto-erstellen /neues-konto-erstellen /mein-Konto /konto /kundenkonto
    /mein-bereich /meine-daten /profil /kennung /löschen /artikel/5/loeschen /konto-löschen /entfernen /warenkorb
    /warenkorb-leeren /in-den-warenkorb /einkaufswagen /kasse /zur-kasse /bestellung /bestellungen /bestellungsverlauf
    /auftragsverfolgung-gast /bestellungsverfolgung /jetzt-bestellen /kaufen /jetzt-kaufen /abbestellen /newsletter-abmelden
    /kündigen /vertrag-kuendigen /wunschliste /merkzettel /wunschzettel /passwort-vergessen /kennwort-wiederherstellung
    /wiki/Spezial:Passwort_zurücksetzen /mein-passwort-ändern`,
  fr: `/déconnexion /deconnexion /se-deconnecter /wiki/Spécial:Déconnexion /connexion /se-connecter /identification
    /inscription /s-inscrire /creer-un-compte /mon-compte /compte /espace-client /ma-page /mes-adresses /profil /identite
    /supprimer /articles/5/supprimer /supprimer-mon-compte /effacer /panier /mon-panier /ajouter-au-panier /caddie
    /commande /commande-rapide /commander /passer-commande /paiement /historique-commandes /suivi-commande-invite
    /mes-commandes /commande/81 /acheter /acheter-maintenant /desabonnement /se-desinscrire /desinscription
    /liste-de-souhaits /mes-envies/liste-d-envies /mot-de-passe-oublie /recuperation-mot-de-passe /mot-de-passe /avoirs
    /confirmation-commande /vider-le-panier`,
  es: `/cerrar-sesion /cerrar-sesión /salir /desconectarse /iniciar-sesion /inicio-sesion /acceder /entrar /registro
    /registrarse /crear-cuenta /crear-una-nueva-cuenta /mi-cuenta /cuenta /perfil /datos-personales /eliminar
    /productos/5/borrar /eliminar-cuenta /suprimir /carrito /carrito-de-compra /ver-carrito /cesta /mi-cesta
    /cesta-de-la-compra /anadir-a-la-cesta /finalizar-compra /tramitar-pedido /pedido /pedido-rapido /pedidos/12
    /historial-compra /seguimiento-cliente-no-registrado /seguimiento-pedido /pagar /comprar /comprar-ahora /darse-de-baja
    /cancelar-suscripcion /lista-de-deseos /contraseña /olvide-mi-contrasena /recuperacion-contraseña
    /confirmacion-pedido /mis-pedidos /mis-compras`,
  pt: `/sair /terminar-sessão /terminar-sessao /desconectar /entrar /iniciar-sessao /inicio-de-sessao /acessar /registo
    /cadastro /cadastre-se /criar-conta /minha-conta /a-minha-conta /conta /perfil /identificação /excluir
    /artigos/5/apagar /excluir-conta /remover /eliminar /carrinho /carrinho-de-compras /meu-carrinho /sacola /encomenda
    /encomenda-rapida /pedido /pedido-imediato /finalizar-compra /fechar-pedido /pagamento /histórico-de-pedidos
    /historico-de-encomendas /acompanhar-meu-pedido /meus-pedidos /comprar /comprar-agora /cancelar-inscricao
    /descadastrar /lista-de-desejos /senha /esqueci-minha-senha /recuperar-senha /recuperar-palavra-passe
    /wiki/Especial:Criar_conta`,
  it: `/esci /disconnetti /disconnettersi /wiki/Speciale:Esci /accedi /entra /accesso /registrati /registrazione
    /crea-un-account /il-mio-account /mio-account /area-clienti /area-riservata /profilo /dati-personali /elimina
    /articoli/5/cancella /elimina-account /rimuovi /carrello /il-mio-carrello /aggiungi-al-carrello /cassa /alla-cassa
    /ordine /ordine-rapido /ordini/12 /cronologia-ordini /segui-ordine /tracciatura-ospite /conferma-ordine /pagamento
    /acquista /acquista-ora /compra /disiscriviti /annulla-iscrizione /cancella-iscrizione /lista-dei-desideri
    /lista-desideri /password-dimenticata /recupero-password /wiki/Speciale:ReimpostaPassword /i-miei-ordini`,
  nl: `/uitloggen /afmelden /wiki/Speciaal:Afmelden /inloggen /aanmelden /registreren /account-aanmaken /registratie
    /mijn-account /mijn-gegevens /profiel /identiteit /verwijderen /artikel/5/verwijderen /account-verwijderen /winkelwagen
    /winkelmandje /winkelmand /mandje /afrekenen /kassa /bestelling /besteloverzicht /bestelling-volgen-als-gast
    /bestellen /kopen /nu-kopen /uitschrijven /nieuwsbrief-uitschrijven /verlanglijst /verlanglijstje /wachtwoord
    /wachtwoord-vergeten /wachtwoord-opvragen /mijn-bestellingen`,
  pl: `/wyloguj /wyloguj-się /wyloguj-sie /wylogowanie /zaloguj /logowanie /zaloguj-sie /rejestracja /zarejestruj-sie
    /zaloz-konto /moje-konto /konto /profil /dane-osobiste /usun /artykul/5/usuń /usun-konto /koszyk /twoj-koszyk
    /dodaj-do-koszyka /kasa /zamowienie /zamówienie /historia-zamowien /sledzenie-zamowienia-gosc /szybkie-zakupy
    /moje-zamowienia /kup /kup-teraz /wypisz-sie /anuluj-subskrypcje /lista-zyczen /lista-życzeń /ulubione /haslo
    /zapomniane-haslo /odzyskiwanie-hasla /resetuj-hasło`,
  cs: `/odhlasit /odhlásit-se /odhlaseni /auth/odhlaseni /prihlasit /prihlaseni /přihlášení /registrace /vytvorit-ucet
    /zaregistrovat-se /muj-ucet /ucet /profil /smazat /clanek/5/smazat /odstranit /kosik /košík /nakupni-kosik
    /do-kosiku /pokladna /objednavka /historie-objednavek /sledovani-objednavky-navstevnika /potvrzeni-objednavky
    /koupit /zrusit-odber /odhlasit-odber /seznam-prani /heslo /zapomenute-heslo /moje-objednavky`,
  sk: `/odhlasit-sa /odhlásenie /auth/odhlasenie /prihlasit-sa /prihlasenie /registracia /vytvorit-ucet /moj-ucet /zmazat
    /odstranit /kosik /nakupny-kosik /pokladna /objednavka /objednavky /kupit /zrusit-odber /zoznam-zelani
    /zabudnute-heslo`,
  hr: `/odjava /odjavi-se /prijava /prijavi-se /registracija /registriraj-se /moj-racun /moj-račun /profil /obrisi /izbriši
    /proizvod/5/ukloni /kosarica /košarica /korpa /naplata /narudzba /narudžbe /kupi /kupi-odmah /lista-zelja /lozinka
    /zaboravljena-lozinka /moje-narudzbe`,
  sv: `/logga-ut /loggaut /utloggning /wiki/Special:Utloggning /logga-in /inloggning /registrera /registrera-dig
    /skapa-konto /mitt-konto /mina-sidor /min-sida /konto /profil /ta-bort /artikel/5/radera /radera-konto /varukorg
    /kundvagn /varukorgen /kassa /till-kassan /beställning /bestallning /mina-bestallningar /orderhistorik /köp /kop-nu
    /avregistrera /avprenumerera /önskelista /onskelista /lösenord /glomt-losenord`,
  da: `/log-ud /logud /log-af /log-ind /brugerlogin /opret-konto /opret-bruger /min-konto /min-side /konto /profil /slet
    /artikel/5/slet /slet-konto /fjern /indkøbskurv /indkoebskurv /kurv /laeg-i-kurv /kasse /til-kassen /ordre
    /mine-ordrer /bestilling /køb /koeb /kob-nu /afmeld /afmeld-nyhedsbrev /ønskeliste /oenskeliste /adgangskode
    /glemt-adgangskode /glemt-kodeord`,
  no: `/logg-ut /loggut /logg-av /logg-inn /innlogging /opprett-konto /registrer-deg /min-konto /min-side /mine-sider
    /profil /slett /artikkel/5/slett /fjern /handlekurv /handlevogn /legg-i-handlekurv /kasse /til-kassen /bestilling
    /ordre /mine-bestillinger /kjøp /kjop /kjop-na /meld-av /avmeld-nyhetsbrev /ønskeliste /passord /glemt-passord`,
  fi: `/kirjaudu-ulos /uloskirjautuminen /wiki/Toiminnot:Kirjaudu_ulos /kirjaudu /kirjaudu-sisään /kirjautuminen
    /rekisteröidy /rekisteroidy /luo-tili /oma-tili /omat-tiedot /tili /profiili /poista /tuote/5/poista /poista-tili
    /ostoskori /ostoskärry /lisaa-ostoskoriin /kassa /kassalle /tilaus /tilaukset /omat-tilaukset /osta /osta-nyt
    /peruuta-tilaus /toivelista /salasana /unohtunut-salasana /vaihda-salasana`,
  hu: `/kijelentkezés /kijelentkezes /kilepes /wiki/Speciális:Kilépés /bejelentkezes /belepes /regisztracio /fiokom
    /sajat-fiok /fiok /profil /torles /termek/5/törlés /fiok-torlese/torles /kosar /kosár /kosarba /penztar /megrendeles
    /rendeles /rendeleseim /vasarlas /leiratkozas /hirlevel-leiratkozas /kivansaglista /jelszo /elfelejtett-jelszo
    /jelszó-módosítás`,
  ro: `/deconectare /ieșire /autentificare /conectare /inregistrare /creare-cont /contul-meu /cont /profil /identitate
    /șterge /produs/5/sterge /stergere-cont /cos /coș /cosul-meu /adauga-in-cos /finalizare-comanda /comanda
    /comanda-rapida /istoric-comenzi /urmarire-pentru-oaspeti /confirmare-comanda /cumpara /cumpara-acum /dezabonare
    /lista-de-dorinte /parola /recuperare-parola /am-uitat-parola`,
  tr: `/çıkış /cikis /cikis-yap /oturumu-kapat /giriş /giris-yap /uye-girisi /kayıt /kayit-ol /uye-ol /hesabim /hesabım
    /profilim /sil /urun/5/sil /hesabi-sil /kaldir /sepet /sepetim /sepete-ekle /alisveris-sepeti /odeme /ödeme /siparis
    /siparislerim /satin-al /satın-al /abonelikten-cik /uyelik-iptali /istek-listesi /favorilerim /sifre
    /sifremi-unuttum /şifremi-unuttum`,
  ru: `/выход /выйти /vyhod /vykhod /vyjti /вход /войти /vhod /vojti /авторизация /регистрация /registraciya /registratsiya
    /личный-кабинет /lichnyj-kabinet /lichnyy-kabinet /мой-профиль /профиль /profil /удалить /статья/5/удалить /udalit
    /удалить-аккаунт /корзина /korzina /в-корзину /dobavit-v-korzinu /оформление-заказа /oformlenie-zakaza
    /oformit-zakaz /заказ /zakazy /мои-заказы /купить /kupit /оплата /oplata /отписаться /otpisatsya /отписка
    /избранное /izbrannoe /список-желаний /пароль /забыли-пароль /vosstanovlenie-parolya`,
  uk: `/вихід /вийти /vyiti /вхід /увійти /реєстрація /особистий-кабінет /osobystyi-kabinet /профіль /мій-профіль /видалити
    /vydalyty /товар/5/видалити /кошик /koshyk /оформлення-замовлення /замовлення /мої-замовлення /купити /kupyty
    /відписатися /vidpysatysia /список-бажань /пароль /забули-пароль`,
  bg: `/изход /излизане /izhod /вход /регистрация /моят-профил /профил /изтрий /iztrij /продукт/5/премахни /количка
    /kolichka /кошница /поръчка /porachka /поръчки /купи /отписване /списък-с-желания /парола /забравена-парола`,
  el: `/αποσύνδεση /aposyndesi /aposindesi /έξοδος /σύνδεση /syndesi /εγγραφή /eggrafi /δημιουργία-λογαριασμού
    /ο-λογαριασμός-μου /logariasmos /προφίλ /διαγραφή /diagrafi /προϊόν/5/διαγραφή /καλάθι /kalathi /καλάθι-αγορών
    /ταμείο /tameio /παραγγελία /paraggelia /αγορά /αγορά-τώρα /απεγγραφή /κατάργηση-εγγραφής /λίστα-επιθυμιών
    /κωδικός-πρόσβασης /ξέχασα-τον-κωδικό`,
  ca: `/tancar-sessio /tanca-la-sessió /iniciar-sessio /registre /crea-un-compte /el-meu-compte /compte /elimina
    /article/5/esborra /cistella /la-cistella /finalitza-la-compra /comanda /comprar /donar-se-de-baixa
    /llista-de-desitjos /contrasenya /wiki/Especial:Finalitza_sessió`,
  ar: `/تسجيل-الخروج /خروج /wiki/خاص:خروج_المستخدم /تسجيل-الدخول /دخول /إنشاء-حساب /انشاء-حساب /تسجيل /حسابي /حساب
    /الملف-الشخصي /حذف /منتج/5/حذف /إزالة /سلة /سلة-التسوق /عربة-التسوق /السلة /الدفع /إتمام-الطلب /الطلب /طلباتي
    /شراء /اشتر-الآن /إلغاء-الاشتراك /قائمة-الرغبات /المفضلة /كلمة-المرور /نسيت-كلمة-المرور`,
  fa: `/خروج /خروج-از-حساب /ورود /ورود-به-حساب /ثبت-نام /عضویت /حساب-کاربری /حساب-من /پروفایل /حذف /کالا/5/حذف /سبد-خرید
    /سبد /افزودن-به-سبد-خرید /تسویه-حساب /پرداخت /سفارش /سفارشات /خرید /لغو-اشتراک /لغو-عضویت /علاقه-مندی-ها
    /رمز-عبور /فراموشی-رمز-عبور`,
  he: `/התנתקות /יציאה /wiki/מיוחד:יציאה_מהחשבון /כניסה /התחברות /כניסה-לחשבון /הרשמה /החשבון-שלי /חשבון /אזור-אישי
    /פרופיל /מחיקה /מוצר/5/מחק /הסר /עגלה /עגלת-קניות /סל-קניות /הוסף-לסל /קופה /תשלום /הזמנה /היסטוריית-הזמנות
    /ההזמנות-שלי /קנה /קנה-עכשיו /ביטול-מנוי /רשימת-משאלות /סיסמה /שחזור-סיסמה /שכחתי-סיסמה /אימות-הזמנה`,
  ja: `/ログアウト /サインアウト /ログイン /サインイン /会員登録 /新規登録 /新規会員登録 /マイページ /mypage /アカウント
    /プロフィール /削除 /商品/5/削除 /アカウント削除 /退会 /カート /買い物かご /ショッピングカート /カートに入れる
    /レジ /レジに進む /ご注文手続き /注文 /注文履歴 /購入 /今すぐ購入 /配信停止 /解約 /お気に入り /ほしい物リスト
    /パスワード /パスワード再設定 /パスワードを忘れた方 /ﾛｸﾞｱｳﾄ`,
  zh: `/退出 /退出登录 /退出登錄 /登出 /注销 /登录 /登錄 /登入 /注册 /註冊 /会员注册 /我的账户 /账户 /帳戶 /个人中心
    /會員中心 /删除 /刪除 /文章/5/删除 /删除账户 /购物车 /購物車 /我的购物车 /加入购物车 /结账 /結帳 /订单 /訂單
    /我的订单 /付款 /购买 /購買 /立即购买 /退订 /取消订阅 /收藏夹 /心愿单 /密码 /密碼 /忘记密码 /修改密码 /denglu
    /gouwuche`,
  ko: `/로그아웃 /로그인 /회원가입 /내-계정 /계정 /마이페이지 /회원정보 /프로필 /삭제 /상품/5/삭제 /회원탈퇴 /장바구니
    /주문 /주문하기 /주문내역 /결제 /결제하기 /구매 /바로구매 /구독취소 /수신거부 /위시리스트 /찜목록 /비밀번호
    /비밀번호-찾기 /비밀번호-변경`,
  vi: `/đăng-xuất /dang-xuat /thoat /đăng-nhập /dang-nhap /đăng-ký /dang-ky /tao-tai-khoan /tai-khoan /tài-khoản-của-tôi
    /hồ-sơ /ho-so /xóa /xoa /bai-viet/5/xoa /giỏ-hàng /gio-hang /them-vao-gio-hang /thanh-toan /dat-hang /đơn-hàng
    /don-hang /mua /mua-ngay /huy-dang-ky /danh-sach-yeu-thich /mật-khẩu /quen-mat-khau /doi-mat-khau`,
  id: `/keluar /log-keluar /masuk /log-masuk /wiki/Istimewa:Keluar_log /daftar /pendaftaran /buat-akun /akun-saya /akun
    /profil /identitas /hapus /artikel/5/hapus /hapus-akun /keranjang /keranjang-belanja /pembayaran /pesanan
    /pesanan-saya /riwayat-pembelian /pantau-order /beli /beli-sekarang /berhenti-berlangganan /daftar-keinginan
    /kata-sandi /lupa-kata-sandi /lupa-password /konfirmasi-pembelian`,
  th: `/ออกจากระบบ /เข้าสู่ระบบ /สมัครสมาชิก /ลงทะเบียน /บัญชีของฉัน /บัญชี /โปรไฟล์ /ลบ /ลบบัญชี /ตะกร้า /ตะกร้าสินค้า
    /รถเข็น /ชำระเงิน /สั่งซื้อ /คำสั่งซื้อ /ซื้อ /ซื้อเลย /ยกเลิกการสมัคร /รายการโปรด /รหัสผ่าน /ลืมรหัสผ่าน`,
  hi: `/लॉगआउट /लॉग-आउट /लॉगिन /लॉग-इन /साइन-अप /रजिस्टर /मेरा-खाता /खाता /प्रोफ़ाइल /हटाएं /लेख/5/हटाएं /कार्ट /टोकरी
    /चेकआउट /ऑर्डर /खरीदें /अभी-खरीदें /सदस्यता-समाप्त /इच्छा-सूची /पासवर्ड /पासवर्ड-भूल-गए`,
};
