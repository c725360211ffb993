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

export type WordList = 'acts' | 'places' | 'alone' | 'self' | 'mine' | 'records' | 'my';

export const wordsByLanguage: Record<string, { readonly [list in WordList]?: string }> = {
  en: {
    acts: `unsub log-out log-off sign-out sign-off user-logout do-logout end-session delete destroy
      remove erase purge deactivate cancel unsubscribe unregister opt-out revoke disconnect
      refund close-account confirm verify activate approve reject accept decline redeem upvote
      downvote unlike unfollow impersonate shutdown reboot password passwd passcode
      lost-password forgot-password reset-password change-password add-to-cart add2cart
      add-to-basket add-to-bag delete-account delete-user confirm-email verify-email my-password
      your-password empty-cart clear-cart`,
    places: `cart basket trolley checkout payment payments billing admin administrator cron
      login sign-in log-on sign-up user-login member-login customer-login create-account
      create-an-account auth oauth sso saml openid account my-account user-account
      customer-account token invite invites invitation confirmation verification wishlist
      wish-list order-now buy-now buy-it-now place-order shopping-cart view-cart my-cart
      new-account`,
    alone: `quit exit logmeout buy pay pay-now purchase donate vote like follow reset export bag callback register
      registration authentication trash unlock`,
    self: 'order profile identity addresses',
    mine: `secrets vault inbox outbox mailbox me my messages conversations dm dms notifications orders
      invoices receipts drafts watchlist bookmarks favorites favourites settings preferences
      order-history order-follow order-tracking order-slip credit-slip guest-tracking
      quick-order my-favorites my-favourites personal-info personal-data`,
    records: `order orders orderid purchaseorder invoice invoices receipt receipts ticket
      tickets booking bookings reservation reservations appointment appointments message
      messages conversation conversations chat chats mail mails email emails inbox request
      requests claim claims customer customers patient patients shipment shipments tracking
      payslip payslips transaction transactions subscription subscriptions prescription
      prescriptions recover recovery rsvp reactivate parcel parcels itinerary
      boarding-pass checkin check-in estimate estimates proposal proposals lab-results referral
      referrals statement statements pnr guest`,
    my: 'my',
  },
  de: {
    acts: `widerrufen abmelden ausloggen löschen entfernen kündigen abbestellen stornieren passwort
      kennwort in-den-warenkorb warenkorb einkaufswagen zerstören mein-passwort ihr-passwort
      passwort-ändern leeren abmeldung löschung abbestellung logoff deabonnieren deaktivieren`,
    places: `einkaufskorb kasse kaufabwicklung merkzettel
      merkliste wunschliste wunschzettel anmelden einloggen registrieren konto-erstellen
      konto-anlegen kundenkonto benutzerkonto kundenbereich nutzerkonto mitgliederbereich
      jetzt-kaufen sofort-kaufen jetzt-bestellen kostenpflichtig-bestellen 
      bestellübersicht bestellbestätigung passwort-vergessen passwörter bestätigen neues-konto
      neues-konto-erstellen benutzerkonto-anlegen registrierung-abschließen zugang-anlegen
      jetzt-registrieren jetzt-anmelden`,
    alone: `konto kaufen bestellen bezahlen zahlung bezahlung anmeldung registrierung kündigung
      austragen authentifizierung spenden`,
    self: 'profil bestellung adressen kennung',
    mine: `posteingang bestellungen rechnungen nachrichteneingang einstellungen favoriten
      bestellverlauf bestellungsverlauf bestellhistorie bestellungsverfolgung auftragsverfolgung
      auftragsverfolgung-gast kontoeinstellungen kundendaten persönliche-daten`,
    records: `bestellung bestellungen rechnung rechnungen buchung buchungen auftrag aufträge
      termin sendung sendungsverfolgung anfrage nachricht nachrichten gutschein`,
    my: 'mein meine meinem meinen',
  },
  fr: {
    acts: `déconnexion déconnecter se-déconnecter me-déconnecter supprimer effacer désabonner
      se-désabonner me-désabonner désinscrire se-désinscrire désinscription désabonnement
      annuler résilier mot-de-passe motdepasse ajouter-au-panier détruire mon-mot-de-passe
      votre-mot-de-passe vider-le-panier deconnectez-vous déconnectez fermer-la-session
      fin-de-session supprimez désactiver désactiver-mon-compte`,
    places: `panier caddie se-connecter me-connecter s-identifier s-inscrire créer-un-compte
      créer-compte création-de-compte création-compte mon-compte espace-client espace-personnel
      espace-membre espace-abonné passer-commande passer-la-commande valider-commande
      commande-rapide acheter-maintenant liste-de-souhaits liste-d-envies liste-envies
      liste-de-suivi suppression mots-de-passe confirmer nouveau-compte s-enregistrer
      connectez-vous inscrivez-vous ouvrir-une-session ouverture-de-session créez-un-compte
      finaliser-la-commande finaliser-ma-commande validation-commande validation-de-commande`,
    alone: `connexion identification inscription enregistrement compte acheter achat commander
      payer paiement règlement retirer caisse encaissement mdp`,
    self: 'profil commande identité adresses',
    mine: `commandes factures favoris préférences messagerie notifications historique-commandes
      historique-des-commandes suivi-commande suivi-de-commande suivi-commande-invité
      confirmation-commande confirmation-de-commande informations-personnelles avoirs`,
    records: `commande commandes facture factures réservation réservations colis suivi
      rendez-vous devis courriel`,
    my: 'mon ma mes',
  },
  es: {
    acts: `baja-boletín cerrar-sesión cierre-de-sesión finalizar-sesión desconectar desconectarse desconexión
      eliminar borrar suprimir cancelar anular darse-de-baja darme-de-baja dar-de-baja
      desuscribir desuscribirse desuscribirme contraseña añadir-al-carrito agregar-al-carrito
      mi-contraseña tu-contraseña su-contraseña destruir vaciar-carrito cierra-sesión
      cerrar-mi-sesión termina-sesión cierre-sesión elimina borra desactivar-cuenta
      dar-de-baja-cuenta`,
    places: `carrito carrito-de-compras carro-de-compra carro-de-compras cesta-de-la-compra
      cesta-de-compra mi-cesta ver-cesta a-la-cesta mi-bolsa a-la-bolsa iniciar-sesión
      inicio-sesión inicio-de-sesión identificarse registrarse regístrate crear-cuenta
      crear-una-cuenta mi-cuenta área-de-cliente área-cliente área-privada área-personal
      finalizar-compra finalizar-pedido tramitar-pedido realizar-pedido confirmar-pedido
      pedido-rápido comprar-ahora lista-de-deseos lista-deseos eliminación contraseñas confirmar
      desactivar solicitar-baja carrito-de-compra carrito-vacío carrito-de-la-compra
      nueva-cuenta darse-de-alta ingresar inicia-sesión ingreso registrarme regístrese
      acceso-clientes acceso-usuarios finalizar-mi-compra proceder-al-pago`,
    alone: `salir entrar acceder acceso registro cuenta comprar compra pagar pago caja cesta
      quitar clave autenticación verificar activar validación`,
    self: 'perfil pedido direcciones datos-personales',
    mine: `pedidos facturas favoritos mensajes notificaciones preferencias historial-compra
      historial-de-compras historial-de-pedidos seguimiento-pedido seguimiento-de-pedido
      confirmación-pedido confirmación-de-pedido seguimiento-cliente-no-registrado
      bandeja-de-entrada`,
    records: 'pedido pedidos factura facturas reserva reservas cita citas mensaje envío envíos',
    my: 'mi mis',
  },
  pt: {
    acts: `terminar-sessão encerrar-sessão finalizar-sessão desconectar deslogar excluir apagar
      deletar eliminar cancelar anular descadastrar descadastrar-se desinscrever desinscrever-se
      desinscrição dessubscrever senha palavra-passe palavra-chave adicionar-ao-carrinho
      minha-senha sua-senha minha-palavra-passe sua-palavra-passe minha-password destruir
      esvaziar-carrinho desconecte desligar-sessão exclua apague cancelar-assinatura`,
    places: `carrinho carrinho-de-compras cesto-de-compras iniciar-sessão início-de-sessão
      fazer-login fazer-logout registar registar-se registrar-se cadastrar cadastrar-se
      cadastre-se criar-conta criar-uma-conta minha-conta área-do-cliente área-de-cliente
      área-reservada finalizar-compra finalizar-pedido finalizar-encomenda fechar-pedido
      fechar-compra pedido-imediato encomenda-rápida comprar-agora compre-agora lista-de-desejos
      exclusão esqueci-minha-senha esqueci-a-senha esqueci-senha senhas confirmar
      carrinho-de-compra carro-de-compras nova-conta inscrever-se finalizar entre-na-conta
      acesse-sua-conta criar-cadastro`,
    alone: `sair entrar acessar aceder acesso cadastro registo registro conta comprar compra
      pagar pagamento remover sacola cesto identificação registrar`,
    self: 'perfil pedido encomenda endereços identidade',
    mine: `pedidos encomendas faturas favoritos mensagens notificações preferências
      histórico-de-pedidos histórico-de-encomendas acompanhar-encomenda acompanhar-meu-pedido
      seguimento-de-visitante confirmação-do-pedido confirmação-encomenda dados-pessoais
      minhas-encomendas as-minhas-encomendas`,
    records: 'pedido pedidos encomenda encomendas fatura faturas reserva reservas mensagem envio',
    my: 'meu minha meus minhas',
  },
  it: {
    acts: `scollegati disconnetti disconnettiti disconnettersi disconnessione elimina eliminare cancella
      cancellare cancellati rimuovi rimuovere annulla disiscriviti disiscrivi disiscrizione
      disdici aggiungi-al-carrello mia-password tua-password resetta-password svuota-carrello
      distruggi chiudi-sessione termina-sessione logout cancellazione-account elimina-account
      disconnessione-utente`,
    places: `carrello carrello-acquisti carrello-della-spesa accedi registrati crea-account
      crea-un-account crea-conto mio-account area-clienti area-cliente area-riservata
      area-personale area-utente alla-cassa vai-alla-cassa procedi-all-ordine completa-ordine
      conferma-ordine ordine-rapido acquista-ora compra-ora compra-subito lista-dei-desideri
      lista-desideri lista-di-desideri eliminazione cancellazione password-dimenticata
      reimposta-password conferma nuovo-account effettua-il-login login-utente accesso-utente
      accesso-clienti iscriviti-ora vai-al-carrello concludi-ordine`,
    alone: `esci uscire uscita entra accesso iscriviti iscrizione registrazione acquista
      acquistare compra comprare acquisto paga pagare pagamento cassa ordina autenticazione
      attiva conto registra`,
    self: 'profilo ordine indirizzi identità',
    mine: `ordini fatture preferiti messaggi notifiche preferenze impostazioni cronologia-ordini
      storico-ordini segui-ordine tracciatura-ospite dati-personali miei-ordini i-miei-ordini`,
    records: 'ordine ordini fattura fatture prenotazione prenotazioni messaggio spedizione',
    my: 'mio mia miei mie',
  },
  nl: {
    acts: `uitloggen afmelden verwijderen verwijder uitschrijven opzeggen annuleren annuleer
      wachtwoord toevoegen-aan-winkelwagen winkelwagen winkelmand winkelwagen-legen log-uit
      meld-af uitgelogd account-verwijderen afmelden-nieuwsbrief`,
    places: `winkelwagentje winkelmandje boodschappenmand mandje inloggen
      aanmelden registreren account-aanmaken mijn-account afrekenen nu-kopen koop-nu
      nu-bestellen bestelling-plaatsen snel-bestellen verlanglijst verlanglijstje wenslijst
      wensenlijst volglijst uitschrijving wachtwoord-vergeten wachtwoorden bevestigen
      nieuw-account nieuwe-account account-aan uitchecken log-in meld-aan maak-account-aan
      maak-een-account`,
    alone: `kassa kopen koop bestellen bestel betalen betaling inschrijven registratie afmelding
      wissen`,
    self: 'profiel bestelling adressen identiteit gegevens',
    mine: `bestellingen facturen favorieten berichten meldingen voorkeuren instellingen
      besteloverzicht bestelgeschiedenis bestelling-volgen bestelling-volgen-als-gast
      orderbevestiging persoonlijke-gegevens order-bevestiging`,
    records: `bestelling bestellingen factuur facturen reservering reserveringen afspraak
      bericht zending`,
    my: 'mijn',
  },
  pl: {
    acts: `kasuj wyloguj wyloguj-się wylogowanie wylogować usuń usunąć usuwanie skasuj wypisz
      wypisz-się anuluj odsubskrybuj anuluj-subskrypcję dodaj-do-koszyka zniszcz moje-hasło
      swoje-hasło zmień-hasło opróżnij-koszyk wylogować-się usunięcie wyczyść-koszyk`,
    places: `koszyk koszyka do-koszyka koszyku zaloguj zaloguj-się logowanie zalogować
      zarejestruj zarejestruj-się załóż-konto utwórz-konto stwórz-konto moje-konto kup-teraz
      szybkie-zakupy złóż-zamówienie zamawiam lista-życzeń hasło hasła potwierdź aktywuj
      nowe-konto złożenie-zamówienia przejdź-do-kasy do-kasy zalogować-się zarejestrować
      zarejestrować-się załóż-nowe-konto`,
    alone: `konto rejestracja kup kupić kupuję zamów zapłać płatność płatności kasa schowek
      wypis rezygnacja rezygnuję kupno`,
    self: 'profil zamówienie adresy dane-osobiste',
    mine: `zamówienia faktury ulubione wiadomości powiadomienia ustawienia obserwowane
      historia-zamówień śledzenie-zamówienia śledzenie-zamówienia-gość potwierdzenie-zamówienia
      pokwitowania`,
    records: 'zamówienie zamówienia faktura faktury rezerwacja rezerwacje wiadomość przesyłka',
    my: 'mój moja moje',
  },
  cs: {
    acts: `odhlásit odhlásit-se odhlášení smazat odstranit vymazat zrušit odebrat heslo
      přidat-do-košíku vložit-do-košíku vyjmout vysypat-košík své-heslo moje-heslo odhlaste-se
      odhlásit-uživatele smazání vymazání zrušit-účet zrušení`,
    places: `košík košíku nákupní-košík přihlásit přihlásit-se přihlášení registrovat
      registrovat-se zaregistrovat vytvořit-účet založit-účet můj-účet uživatelský-účet pokladna
      k-pokladně koupit-teď dokončit-objednávku seznam-přání zrušení-odběru hesla
      zapomenuté-heslo potvrdit nový-účet přihlaste-se přihlášení-uživatele přejít-k-pokladně
      do-pokladny`,
    alone: 'účet registrace koupit objednat platba zaplatit nákup',
    self: 'profil objednávka adresy',
    mine: `objednávky faktury oblíbené zprávy nastavení historie-objednávek sledování-objednávky
      sledování-objednávky-návštěvníka potvrzení-objednávky osobní-údaje`,
    records: 'objednávka objednávky faktura faktury rezervace zpráva zásilka',
    my: 'můj moje má mé',
  },
  sk: {
    acts: `odhlásiť odhlásiť-sa odhlásenie zmazať odstrániť vymazať zrušiť odobrať
      pridať-do-košíka odstráň zaregistrovať-sa odhláste-sa zmazanie vymazanie`,
    places: `košíka nákupný-košík prihlásiť prihlásiť-sa prihlásenie zaregistrovať
      registrovať-sa vytvoriť-účet môj-účet pokladňa kúpiť-teraz dokončiť-objednávku
      zoznam-želaní zrušenie-odberu zabudnuté-heslo nový-účet prihláste-sa do-pokladne`,
    alone: 'registrácia kúpiť objednať platba zaplatiť',
    self: 'objednávka',
    mine: 'obľúbené správy nastavenia história-objednávok',
    my: 'môj moja',
  },
  sl: {
    acts: `odjava odjavi odjavi-se izbriši odstrani geslo dodaj-v-košarico izprazni-košarico
      moje-geslo vaše-geslo gesla ne-spomnim-se-gesla brisanje briši brisanje-računa odjavite-se
      odstranite`,
    places: `prijavi-se ustvari-račun moj-račun košarica v-košarico blagajna kupi-zdaj
      seznam-želja pozabljeno-geslo uporabniški-račun nov-račun prijavite-se vpiši-se vpis
      registriraj-se`,
    alone: 'prijava registracija račun kupi nakup naročilo registriracija',
    mine: 'moja-naročila naročila',
    my: 'moj moja moje',
  },
  hr: {
    acts: `naruči odjava odjavi-se izbriši obriši ukloni otkaži lozinka dodaj-u-košaricu dodaj-u-korpu
      одјава обриши избриши уклони lozinku moju-lozinku vašu-lozinku лозинку isprazni-košaricu
      moju-лозинку моју-лозинку твоју-лозинку tvoju-lozinku odjavite-se odjaviti-se odjavite
      poništavanje-lozinke brisanje brisanje-računa uklanjanje одјавите-се одјавити-се одјави-се
      брисање избрисати`,
    places: `košarica košaricu korpa korpu prijavi-se registriraj-se registruj-se kreiraj-račun
      moj-račun moj-nalog korisnički-račun naplata kupi-odmah kupi-sada lista-želja
      zaboravljena-lozinka корпа мој-налог лозинка пријави-се zaboravili-ste-lozinku
      prijavite-se prijavite пријавите пријавите-се регистрација-корисника`,
    alone: `izlaz prijava registracija račun nalog kupi kupnja kupovina narudžba plaćanje šifra
      пријава купи регистрација регистуј-се`,
    self: 'profil narudžba porudžbina',
    mine: 'narudžbe porudžbine omiljeno omiljeni favoriti poruke',
    records: 'narudžba narudžbe porudžbina porudžbine',
  },
  sv: {
    acts: `logga-ut utloggning ta-bort radera avregistrera avprenumerera avanmäl avbeställ
      lösenord lägg-i-varukorg lägg-i-varukorgen varukorg varukorgen kundvagn kundvagnen
      förstöra lösenordet töm-varukorgen logga-ut-mig utloggad avsluta-konto ta-bort-konto`,
    places: `kundkorg logga-in inloggning registrera
      registrera-dig skapa-konto mitt-konto mina-sidor min-sida kassa kassan till-kassan köp-nu
      slutför-köp slutför-beställning önskelista avsluta-prenumeration glömt-lösenord bekräfta
      nytt-konto skaffa-konto gå-till-kassan logga-in-här bli-kund`,
    alone: 'konto registrering köp köpa handla beställ beställning betala betalning avsluta',
    self: 'profil order adresser',
    mine: 'beställningar ordrar fakturor favoriter meddelanden inställningar orderhistorik',
    records: 'beställning beställningar faktura fakturor bokning bokningar meddelande',
    my: 'min mitt mina',
  },
  da: {
    acts: `log-ud log-af slet fjern afmeld afmelding frameld annuller opsig adgangskode kodeord
      læg-i-kurv tilføj-til-kurv indkøbskurv adgangskoden tøm-kurv logge-ud log-mig-ud slette
      sletning`,
    places: `kurv kurven indkøbsvogn log-ind log-på brugerlogin opret-konto
      opret-bruger opret-profil min-konto min-side kassen til-kassen køb-nu gennemfør-køb
      ønskeliste ønskeseddel glemt-adgangskode glemt-kodeord bekræft ny-konto tilmeld-dig
      gå-til-kassen logge-ind`,
    alone: 'konto registrer registrering tilmeld køb købe bestil bestilling betal betaling',
    self: 'profil ordre adresser',
    mine: 'ordrer bestillinger fakturaer favoritter beskeder indstillinger ordrehistorik',
    records: 'ordre ordrer bestilling bestillinger faktura fakturaer booking',
    my: 'min mit mine',
  },
  no: {
    acts: `logg-ut logg-av utlogging slett fjern avmeld meld-av avbestill passord
      legg-i-handlekurv legg-i-kurv handlekurv handlekurven passordet kanseller tøm-handlekurv
      gløymt-passordet passordet-mitt passordet-ditt kontoen-min har-du-glemt-passordet
      glemt-passordet logge-ut sletting slette avmelding`,
    places: `handlevogn logg-inn logg-på innlogging pålogging
      opprett-konto opprett-bruker registrer-deg mine-sider kjøp-nå fullfør-kjøp ønskeliste
      avslutt-abonnement glemt-passord bekreft deaktiver-konto meld-deg-på melde-deg-på sjekk-ut
      logge-inn gå-til-kassen`,
    alone: 'kjøp kjøpe bestill bestilling avslutt',
    mine: 'bestillinger meldinger innstillinger ordrehistorikk',
    my: 'mitt',
  },
  fi: {
    acts: `kirjaudu-ulos kirjaudu uloskirjautuminen poista poistaminen peruuta salasana
      lisää-ostoskoriin lisää-koriin ostoskori ostoskoriin tuhoa salasanani salasanasi
      vaihda-salasana unohditko-salasanasi tyhjennä-ostoskori kirjautua-ulos kirjautuminen-ulos
      poistu poistu-palvelusta tyhjennä-kori`,
    places: `ostoskärry kirjaudu-sisään sisäänkirjautuminen rekisteröidy
      luo-tili luo-tunnus oma-tili omat-tiedot omat-sivut oma-sivu kassa kassalle osta-nyt
      tee-tilaus toivelista toivomuslista peru-tilaus peru-uutiskirje peruuta-tilaus
      unohtunut-salasana vahvista uusi-tili kirjautua-sisään kirjautunut rekistöröidy
      rekisteröityä siirry-kassalle maksamaan`,
    alone: `kirjautuminen rekisteröinti rekisteröityminen tili kori osta ostaa tilaa maksa maksu
      poistu`,
    self: 'profiili tilaus osoitteet',
    mine: 'tilaukset laskut suosikit viestit asetukset tilaushistoria tarkkailulista tilaukseni',
    records: 'tilaus tilaukset lasku laskut varaus varaukset',
    my: 'oma omat',
  },
  et: {
    acts: `loobu-uudiskirjast logi-välja kustuta eemalda parool tühista salasõna parooli salasõna-muutmine
      tühjenda-ostukorv väljalogimine eemaldama kustutama välju kustutamine`,
    places: `logi-sisse registreeru loo-konto minu-konto ostukorv kassa soovinimekiri osta-kohe
      unustasid-parooli ostukorvi lisa-ostukorvi uus-konto vormista-tellimus registreeri
      registreerima kassasse sisselogimine`,
    alone: 'registreerimine osta ostma telli tellimus',
    self: 'profiil',
    mine: 'tellimused',
    my: 'minu',
  },
  lv: {
    acts: `atrakstīties iziet izrakstīties izlogoties dzēst noņemt atteikties-no atslēgties izdzēst
      mainīt-paroli nomainīt-paroli manu-paroli paroles-maiņa aizmirsāt-paroli parole-aizmirsta
      iztukšot-grozu atcelt-kontu atiestatīt-paroli iziešana izrakstīšanās dzēšana`,
    places: `pieslēgties ienākt reģistrēties mans-konts izveidot-kontu grozs pirkumu-grozs
      noformēt-pasūtījumu aizmirsta-parole grozam grozu pieteikties pievienoties jaunu-kontu
      vēlmju-saraksts iepirkuma-grozs pieteikšanās reģistrācija-lietotājiem`,
    alone: 'ieiet reģistrācija konts pirkt pasūtīt pasūtījums parole',
    self: 'profils',
    mine: 'pasūtījumi',
    my: 'mans mana mani',
  },
  lt: {
    acts: `atsijungti ištrinti pašalinti atsisakyti slaptažodis sunaikinti panaikinti
      slaptažodžio slaptažodį keisti-slaptažodį slaptažodžio-priminimas išvalyti-krepšelį
      ištrinkite-paskyrą ištrinkite atsijunkite atsijungimas`,
    places: `prisijungti prisijungimas registruotis mano-paskyra krepšelis pirkinių-krepšelis
      pirkti-dabar norų-sąrašas pamiršau-slaptažodį krepšelyje krepšelį pageidavimų-sąrašas
      vartotojo-registracija prekių-krepšelis prisijunkite registruokitės`,
    alone: 'registracija paskyra pirkti užsakyti užsakymas apmokėjimas',
    self: 'profilis',
    mine: 'užsakymai',
    my: 'mano',
  },
  hu: {
    acts: `kijelentkezés kijelentkezik kijelentkez kilépés törlés töröl eltávolítás eltávolít
      leiratkozás leiratkozom lemondás jelszó kosárba-rakom kosárba-tesz jelszavát jelszavam
      elfelejtette-a-jelszavát megszüntetés megszüntetése kosárhoz fiók-törlése kijelentkezni
      törölni leiratkozni`,
    places: `kosár kosárba kosaram bevásárlókosár bejelentkezés belépés regisztráció
      fiók-létrehozása fiókom saját-fiók felhasználói-fiók profilom pénztár pénztárhoz
      megrendelés megveszem kívánságlista jelszava elfelejtett-jelszó jelszócsere megerősítés
      vásárlás-befejezése új-fiók új-fiók-létrehozása bejelentkezni regisztrálni
      regisztráció-befejezése`,
    alone: 'fiók vásárlás vásárol megvesz rendel fizetés vétel',
    self: 'profil rendelés címek',
    mine: 'rendelések rendeléseim számlák kedvencek üzenetek beállítások',
    records: 'rendelés rendelések megrendelés számla számlák foglalás',
  },
  ro: {
    acts: `deconectare deconectează-te deconectați-vă delogare șterge ștergere elimină
      dezabonare dezabonează-te dezabonează anulează adaugă-în-coș parola-mea schimbă-parola
      resetează-parola ai-uitat-parola ați-uitat-parola parola-dvs golește-coșul deconectează
      deconectați deautentificare ștergeți dezabonați-vă`,
    places: `coșul coșul-meu coș-de-cumpărături coșul-de-cumpărături în-coș autentificare
      conectare logare intră-în-cont înregistrare creare-cont creează-cont crează-cont cont-nou
      contul-meu finalizare-comandă finalizează-comanda comandă-rapidă cumpără-acum
      listă-de-dorințe lista-de-dorințe parolă-uitată am-uitat-parola parola-uitată
      recuperare-parolă resetare-parolă confirmare coș-cumpărături
      efectuați-plata nou-cont conectează-te conectați-vă înregistrează-te autentifică-te
      loghează-te`,
    alone: 'ieșire coș cont cumpără cumpărare plată plata plătește comandă parolă parola',
    self: 'profil comandă comanda adrese identitate',
    mine: `comenzi facturi favorite mesaje setări istoric-comenzi urmărire-pentru-oaspeți
      confirmare-comandă comenzile-mele`,
    records: 'comandă comanda comenzi factură facturi rezervare',
  },
  tr: {
    acts: `üyelikten-çık çıkış-yap oturumu-kapat iptal iptal-et kaldır abonelikten-çık abonelikten-ayrıl
      şifremi-unuttum sepete-ekle şifremi şifrenizi parolamı parolanı parolanızı sepeti-boşalt
      sepeti-temizle parolayı-sıfırla çıkış-yapın oturumu-sonlandır hesabımı-sil hesabı-sil`,
    places: `çıkış sil sepet sepetim sepete alışveriş-sepeti giriş-yap oturum-aç üye-girişi
      kullanıcı-girişi kayıt-ol üye-ol hesap-oluştur hesabım profilim satın-al hemen-al
      sipariş-ver siparişi-tamamla istek-listesi favorilerim beğendiklerim abonelik-iptali
      üyelik-iptali şifre şifre-sıfırla şifre-sıfırlama parola-sıfırla onayla kaydol yeni-hesap
      yeni-hesap-oluştur giriş-yapın kayıt-olun oturum-açın`,
    alone: 'giriş kayıt üyelik hesap ödeme öde sipariş parola aboneliği-iptal-et',
    self: 'profil sipariş adreslerim',
    mine: `siparişlerim siparişler faturalar faturalarım favoriler mesajlar mesajlarım
      bildirimler ayarlar`,
    records: 'sipariş siparişler fatura faturalar rezervasyon',
  },
  ru: {
    acts: `выйти разлогиниться удалить удаление стереть отписаться отписка отмена отменить
      пароль добавить-в-корзину убрать очистить-корзину выйти-из-аккаунта выйти-из-системы
      удалите удалить-аккаунт отпишитесь удалить-профиль`,
    places: `выход вход войти авторизация логин зарегистрироваться создать-аккаунт
      личный-кабинет аккаунт мой-аккаунт учетная-запись корзина корзину в-корзину
      оформление-заказа оформить-заказ купить-сейчас список-желаний отказ-от-подписки пароля
      восстановление-пароля забыли-пароль сброс-пароля сменить-пароль подтвердить подтверждение
      активация новая-учетная-запись учетную-запись новый-аккаунт войдите зарегистрируйтесь
      вход-в-систему вход-на-сайт личный-кабинет-вход моя-корзина`,
    alone: 'регистрация кабинет купить покупка оплата оплатить заказать касса',
    self: 'профиль заказ адреса',
    mine: 'заказы счета избранное сообщения уведомления настройки закладки история-заказов',
    records: 'заказ заказы счет счета бронирование сообщение посылка',
    my: 'мой моя мое мои',
  },
  uk: {
    acts: `вихід вийти видалити видалення відписатися відписатись відписка скасувати пароль
      додати-в-кошик додати-до-кошика знищити очистити-кошик вийти-з-акаунту видаліть
      видалити-акаунт`,
    places: `вихід вхід увійти авторизація зареєструватися зареєструватись створити-акаунт
      особистий-кабінет мій-кабінет акаунт обліковий-запис кошик до-кошика в-кошик
      оформлення-замовлення оформити-замовлення список-бажань паролю відновлення-пароля
      забули-пароль підтвердити підтвердження логін кошик-для-покупок ввійти зайти
      зареєструйтеся зареєструйтесь`,
    alone: 'реєстрація кабінет купити оплата оплатити замовити каса',
    self: 'профіль замовлення',
    mine: 'обране рахунки повідомлення налаштування історія-замовлень',
    records: 'замовлення рахунок рахунки бронювання',
    my: 'мій моя моє мої',
  },
  bg: {
    acts: `изтрий изтриване премахни премахване отписване отпиши-се откажи забравена-парола
      добави-в-количката унищожи паролата паролата-ми паролата-си излез излез-от-профила
      премахвам изход-от-профила отпишете отписвам изтрийте смяна-на-парола`,
    places: `изход излизане влизане влез количка количката кошница кошницата моят-профил
      моят-акаунт завършване-на-поръчка списък-с-желания потвърди регистрирай-се
      закриване-на-профил упълномощя регистрирам регистрирайте-се влезте вписване вход-в-профила
      моята-сметка`,
    alone: 'вход изход купи купете поръчай плащане парола каса излез изтрия',
    self: 'профил поръчка',
    mine: 'поръчки любими съобщения',
    records: 'поръчка поръчки фактура фактури резервация',
    my: 'моят моята моето моите',
  },
  el: {
    acts: `αποσύνδεση διαγραφή κατάργηση αφαίρεση απεγγραφή ακύρωση διαγράψτε
      προσθήκη-στο-καλάθι καταστροφή αλλαγή-κωδικού ξεχάσατε-τον-κωδικό άδειασμα-καλαθιού
      κωδικού-πρόσβασης αλλαγή-του-κωδικού αποσυνδεθείτε αποσυνδέσου διαγράφω έξοδος-χρήστη`,
    places: `έξοδος σύνδεση εγγραφή καλάθι καλάθι-αγορών λογαριασμός ο-λογαριασμός-μου
      λογαριασμού δημιουργία-λογαριασμού ταμείο ολοκλήρωση-παραγγελίας ολοκλήρωση-αγοράς
      αγορά-τώρα λίστα-επιθυμιών κωδικός-πρόσβασης ξέχασα-τον-κωδικό
      επαναφορά-κωδικού επιβεβαίωση κωδικό-πρόσβασης πρόσβασής-μου πρόσβασής-σας συνδεθείτε
      είσοδος-χρήστη είσοδος-μελών εγγραφείτε-τώρα`,
    alone: 'είσοδος αγορά αγοράστε παραγγείλτε πληρωμή κωδικός',
    self: 'προφίλ παραγγελία',
    mine: 'παραγγελίες αγαπημένα μηνύματα ρυθμίσεις οι-παραγγελίες-μου',
    records: 'παραγγελία παραγγελίες τιμολόγιο κράτηση',
  },
  ca: {
    acts: `tanca-sessió tanca-la-sessió tancar-sessió tancar-la-sessió finalitza-sessió elimina
      esborra esborrar suprimeix donar-se-de-baixa dona-t-de-baixa contrasenya
      afegeix-a-la-cistella meva-contrasenya teva-contrasenya buidar-carret destruir
      oblidar-la-teva-contrasenya has-oblidat-la-teva-contrasenya sortir tancar-la-sessio
      heu-oblidat-la-vostra-contrasenya eliminar suprimir`,
    places: `cistella inicia-sessió inicia-la-sessió iniciar-sessió registra-t registrar-se
      crea-un-compte el-meu-compte meu-compte finalitza-la-compra finalitzar-compra
      llista-de-desitjos al-carret cistella-de-compres nou-compte`,
    alone: `surt entra registre compte comprar carret pagament validació accedir accedeix
      registrar`,
    self: 'comanda',
    mine: 'comandes missatges preferències llista-de-seguiment meves-comandes les-meves-comandes',
    records: 'comanda comandes',
    my: 'meu meva meus meves',
  },
  ar: {
    acts: `تسجيل-الخروج تسجيل-خروج حذف إزالة احذف إلغاء-الاشتراك إلغاء الغاء كلمة-المرور
      كلمة-السر نسيت-كلمة-المرور أضف-إلى-السلة إضافة-إلى-السلة إعادة-تعيين-كلمة-المرور
      ضبط-كلمة-السر تدمير كلمة-مروري كلمة-مرورك إفراغ-السلة سجل-الخروج تسجيل-الخروج-من-الحساب
      احذف-الحساب حذف-الحساب حذف-حساب إفراغ-سلة-التسوق`,
    places: `خروج الخروج خروج-المستخدم تسجيل-الدخول تسجيل-دخول دخول-المستخدم إنشاء-حساب
      حساب-جديد حسابي الحساب الملف-الشخصي ملفي-الشخصي سلة السلة سلة-التسوق سلة-المشتريات
      عربة-التسوق عربة-التسوّق إتمام-الطلب إتمام-الشراء اشتر-الآن اشتري-الآن شراء-الآن
      قائمة-الرغبات قائمة-الأمنيات تأكيد تفعيل سجل-الدخول سجل-دخولك سجل-الآن إنشاء-حساب-جديد
      أنشئ-حسابا عربتي سلتي`,
    alone: 'دخول الدخول تسجيل التسجيل حساب شراء اشتر اشتري طلب الطلب الدفع دفع عربة',
    mine: 'طلباتي الطلبات طلبات المفضلة مفضلتي رسائلي الإعدادات قائمة-المراقبة',
    records: 'طلب الطلب طلبات فاتورة فواتير حجز',
  },
  fa: {
    acts: `خروج خروج-از-حساب حذف پاک-کردن لغو-اشتراک لغو-عضویت لغو رمز-عبور گذرواژه کلمه-عبور
      فراموشی-رمز-عبور بازیابی-رمز-عبور تغییر-رمز-عبور افزودن-به-سبد-خرید افزودن-به-سبد حدف
      حساب-مرا-لغو-کن خالی-کردن-سبد خارج-شدن خروج-کاربر حذف-حساب حذف-حساب-کاربری`,
    places: `ورود-به-حساب ورود-به-سایت ورود-کاربران ثبت-نام حساب-کاربری حساب-من پنل-کاربری
      ناحیه-کاربری سبد-خرید تسویه-حساب ثبت-سفارش سفارش-های-من لیست-علاقه-مندی علاقه-مندی-ها
      علاقه-مندیها لیست-دلخواه تایید تأیید تصفیه-حساب حساب-جدید سبد-خرید-خالی-شود وارد-شدن
      ورود-و-ثبت-نام ورود-کاربر عضویت-در-سایت`,
    alone: 'ورود عضویت حساب خرید سفارش پرداخت سبد پروفایل رمز',
    mine: 'سفارشات سفارشها پیام-ها تنظیمات',
    records: 'سفارش سفارشات فاکتور رزرو',
  },
  he: {
    acts: `התנתקות התנתק יציאה-מהחשבון מחיקה מחק מחיקת-חשבון הסר הסרה ביטול ביטול-מנוי
      ביטול-הרשמה הסרה-מרשימת-תפוצה סיסמה סיסמא שכחתי-סיסמה איפוס-סיסמה שחזור-סיסמה הוסף-לסל
      להתנתק שכחת-את-הסיסמה שכחת-את-הסיסמה-שלך התנתקי למחוק הסרה-מהרשימה`,
    places: `יציאה התחברות התחבר כניסה-לחשבון הרשמה-לחשבון יצירת-חשבון החשבון-שלי אזור-אישי עגלה
      עגלת-קניות סל-קניות סל-הקניות הסל-שלי לקופה קופה קנה-עכשיו קנו-עכשיו רשימת-משאלות
      אימות-הזמנה להתחבר להירשם התחברי המשך-לתשלום`,
    alone: 'כניסה הרשמה הירשם חשבון סל תשלום לתשלום קנה קנייה רכישה הזמנה פרופיל לקנות להזמין',
    mine: 'הזמנות ההזמנות-שלי מועדפים הודעות הגדרות היסטוריית-הזמנות',
    records: 'הזמנה הזמנות חשבונית',
  },
  ja: {
    acts: `ログアウト サインアウト 削除 消去 退会 解約 配信停止 購読解除 メルマガ解除 パスワード
      パスワード再設定 パスワードを忘れた カートに入れる カートに追加 taikai カートを空にする
      破壊する ログオフ サインオフ 退会手続き 退会する 削除する アカウントを削除`,
    places: `ログイン サインイン 会員登録 新規登録 新規会員登録 ユーザー登録 アカウント作成
      マイページ アカウント マイアカウント 会員ページ カート 買い物かご 買い物カゴ
      ショッピングカート 購入手続き 注文手続き ご注文手続き レジに進む 今すぐ買う 今すぐ購入
      購入する 注文履歴 購入履歴 お支払い 決済 お気に入り ほしい物リスト 欲しいものリスト
      ウィッシュリスト mypage kaiin-touroku kaiintouroku サインアップ アカウント登録
      アカウント情報 注文情報 ログオン 会員ログイン ログインページ ログインする 登録する
      無料会員登録 お買い物かご お買い物カゴ マイカート`,
    alone: `登録 購入 注文 ご注文 レジ かご プロフィール キャンセル 解除 touroku kago chumon
      konyu sakujo kaiin`,
    mine: 'ブックマーク メッセージ 設定 閲覧履歴',
    records: '注文 予約 請求書',
  },
  zh: {
    acts: `退出登录 退出登錄 退出账号 登出 注销 註銷 删除 刪除 移除 退订 退訂 取消订阅 取消訂閱
      取消 密码 密碼 忘记密码 忘記密碼 找回密码 重置密码 重設密碼 修改密码 加入购物车 加入購物車
      tuichu dengchu zhuxiao shanchu wangji-mima 移出 您的密码 您的密碼 我的密码 清空购物车
      清空購物車 退出系统 安全退出 登出系统 删除账号 注销账号 注销账户`,
    places: `退出 登录 登錄 登入 会员登录 會員登入 注册 註冊 会员注册 會員註冊 账户 帐户 帳戶
      账号 帐号 帳號 个人中心 個人中心 会员中心 會員中心 用户中心 个人资料 購物車 购物车 购物篮
      購物籃 结账 結帳 結賬 结算 去结算 立即购买 立即購買 提交订单 收藏夹 我的收藏 愿望单 心愿单
      願望清單 denglu zhuce gouwuche jiesuan 新帐号 新账号 资料 個人資料 个人信息 会员登陆 登陆
      立即注册 立即註冊 去结账 结算台`,
    alone: '购买 購買 支付 付款 订单 訂單 确认 確認 dingdan goumai mima',
    mine: '我的订单 我的訂單 订单查询 訂單查詢 消息中心 设置',
    records: '订单 訂單 发票 發票 预订',
    my: '我的',
  },
  ko: {
    acts: `로그아웃 삭제 삭제하기 제거 탈퇴 회원탈퇴 구독취소 구독해지 수신거부 비밀번호
      비밀번호찾기 비밀번호변경 비밀번호재설정 장바구니담기 취소 비밀번호를 장바구니에추가
      장바구니비우기 내비밀번호를 로그아웃하기 계정삭제 탈퇴하기 삭제하다`,
    places: `로그인 회원가입 계정 내계정 마이페이지 내정보 회원정보 장바구니 주문하기 주문서
      결제 결제하기 구매하기 바로구매 위시리스트 찜목록 관심상품 새계정생성 새계정 장바구니에
      로그인하기 회원로그인 가입하기 로그인페이지 나의계정 내프로필`,
    alone: '가입 주문 구매 카트 찜 프로필 등록',
    mine: '주문내역 주문조회 주문배송조회 메시지 알림 설정 즐겨찾기',
    records: '주문 예약 청구서',
    my: '내 나의',
  },
  vi: {
    acts: `đăng-xuất hủy-đăng-ký huỷ-đăng-ký mật-khẩu quên-mật-khẩu đổi-mật-khẩu
      đặt-lại-mật-khẩu xóa-tài-khoản xoá-tài-khoản thêm-vào-giỏ thêm-vào-giỏ-hàng
      khởi-tạo-lại-mật-khẩu hủy-bỏ làm-rỗng-giỏ-hàng hủy-diệt`,
    places: `đăng-nhập tạo-tài-khoản tài-khoản tài-khoản-của-tôi giỏ-hàng mua-ngay
      danh-sách-yêu-thích sản-phẩm-yêu-thích hồ-sơ-cá-nhân đơn-đặt-hàng-của-tôi tài-khoản-mới
      sọt-hàng thủ-tục-thanh-toán thanh-toán-ngay`,
    alone: `thoát đăng-ký đăng-kí thanh-toán đặt-hàng mua mua-hàng đơn-hàng xóa xoá gỡ-bỏ
      loại-bỏ hủy huỷ hồ-sơ yêu-thích thủ-tục-mua-hàng`,
    mine: 'đơn-hàng-của-tôi lịch-sử-mua-hàng tin-nhắn thông-báo cài-đặt',
    records: 'đơn-hàng hóa-đơn',
  },
  id: {
    acts: `berhenti-langganan batal-langganan log-keluar hapus hapus-akun batalkan berhenti-berlangganan henti-langganan kata-sandi
      lupa-kata-sandi lupa-password ubah-kata-sandi kata-laluan tambah-ke-keranjang
      ganti-password ubah-password password-saya password-anda kosongkan-keranjang menghapus
      keluar-log logout-akun keluar-akun hapus-akun-saya hapuskan`,
    places: `log-masuk buat-akun daftar-akun akun-saya akaun-saya keranjang keranjang-belanja
      troli-belanja beli-sekarang daftar-keinginan konfirmasi-pembelian akun-baru akunku
      mendaftar buat-akun-baru masuk-log masuk-akun login-akun daftar-sekarang proses-checkout`,
    alone: `keluar masuk daftar pendaftaran akun akaun beli bayar pembayaran pesan padam troli
      sandi`,
    self: 'pesanan alamat identitas',
    mine: `pesanan-saya favorit riwayat-pembelian riwayat-pesanan pantau-order pengaturan
      daftar-alamat pemesanan-saya pemesanan`,
    records: 'pesanan faktur tagihan',
  },
  th: {
    acts: `ยกเลิกการรับข่าวสาร ออกจากระบบ ล็อกเอาท์ ล็อกเอาต์ ลบบัญชี ยกเลิกการสมัคร ยกเลิกการสมัครสมาชิก รหัสผ่าน
      ลืมรหัสผ่าน เพิ่มลงตะกร้า หยิบใส่ตะกร้า ทำลาย รหัสผ่านใหม่ รหัสผ่านของคุณ ล้างตะกร้า ยกเลิกบัญชี
      ยกเลิกบัญชีของฉัน ล็อกเอาท์ออก ลบออก ยกเลิกสมาชิก`,
    places: `เข้าสู่ระบบ ล็อกอิน สมัครสมาชิก ลงทะเบียน บัญชีของฉัน บัญชีผู้ใช้ ตะกร้า ตะกร้าสินค้า รถเข็น
      ชำระเงิน สั่งซื้อ ซื้อเลย ซื้อทันที รายการโปรด สิ่งที่อยากได้ บัญชีของท่าน บัญชีผู้ใช้ใหม่
      รายการสั่งซื้อ รายการสิ่งที่อยากได้ เช็กเอาต์ เช็คเอาท์ ลงชื่อเข้าใช้ สร้างบัญชี`,
    alone: 'บัญชี ลบ ซื้อ คำสั่งซื้อ โปรไฟล์ ยกเลิก ลงชื่อออก',
    records: 'คำสั่งซื้อ',
  },
  hi: {
    acts: `सदस्यता-रद्द लॉगआउट लॉग-आउट साइन-आउट हटाएं हटाएँ मिटाएं अनसब्सक्राइब सदस्यता-समाप्त पासवर्ड
      पासवर्ड-भूल-गए कार्ट-में-डालें पासवर्ड-बदलें मेरा-पासवर्ड अपना-पासवर्ड मेरा-खाता-रद्द-करें
      निकालें लॉग-आउट-करें लॉगआउट-करें हटाना`,
    places: `लॉगिन लॉग-इन साइन-इन साइन-अप मेरा-खाता कार्ट टोकरी चेकआउट अभी-खरीदें इच्छा-सूची
      साइन-अप-करें लॉग-इन-करें लॉगिन-करें रजिस्टर-करें प्रोफ़ाइल-संपादित-करें`,
    alone: 'रजिस्टर पंजीकरण खाता खरीदें ऑर्डर प्रोफ़ाइल भुगतान',
    records: 'ऑर्डर',
    my: 'मेरा मेरी मेरे',
  },
};

const setOf = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Words for links that work once: private at the head of a path, elsewhere before an id. */
export const oneTimeWords = setOf(
  `magiclink magiclinks onetime onetimelink onetimepassword onetimesecret otp totp mfa 2fa twofactor
   joinchat passwordless loginlink signinlink emaillogin activation accountactivation optin doubleoptin doubleopt`,
);

/** Words for links that are given to others, and names of sessions: private before an id. */
export const shareWords = setOf(
  `share shares shared sharing sharelink sharedlink sharelinks sharedinvite join meetupjoin
   sid sess sessid sessionid phpsessid jsessionid`,
);

/** Words for things that may be secret: private only before a random id, because all have other uses. */
export const keyWords = setOf(
  `s sh f d dl j l go link links click open view preview draft doc document file files download downloads upload
   survey poll sign signing esign gift giftcard voucher coupon code secret secrets private meeting meet room call note
   notes qr edit form forms key keys webhook webhooks hook hooks refer board boards cert certificate`,
);

/** Words for pages about one member of a collection whose id is not in the path: /order/status,
 *  /sales/order/history. */
export const views = setOf(
  `view show detail details history track print reorder status confirmation confirmed received
   success complete completed summary`,
);

/** Words beside the name of a collection in one segment: view-order, order-received. */
export const beside = setOf(
  'view my your track show guest edit manage print pay received status id number',
);

/** Words that follow `my`, besides the words of the lists. */
export const possessions = setOf(
  `page dashboard area library documents files listings ads courses learning data details home
   list lists bereich daten adressen bestellungen espace adresses informations datos compras pedidos dados compras
   pagina dati acquisti gegevens sida sidor side sider tiedot sivut strona stranka`,
);

/** Pages below a person's own page: /profile/edit. */
export const ownViews = setOf('edit settings preferences password security notifications privacy');

/** Folders of a person: after the person's name may come one of their places (/u/jane/messages). */
export const owners = setOf('u user users member members people profile profiles');

/** Folders without meaning: the path proper begins after them. */
export const prefixes = setOf(
  `app portal web index api rest direct mail webmail forum community shop store sales customer boutique tienda loja
   negozio winkel sklep obchod butik kauppa magazin`,
);

/** Words without meaning around a place: login-page, CartController. */
export const frames = setOf('page form view index action controller handler step screen se sa sie');

/** Words that precede a telephone number: /call/0301234567. */
export const dialling = setOf(
  'tel telephone phone call sms text whatsapp wa mobile fax telefon telefono',
);

// Words that deny a query (page-query.ts): they act, are personal, were typed by a person, or stand for no page. There
// are more than for paths, because a path often contains a title, in which such a word is harmless.

/** Edit, add, order, buy, sign in and other actions in German, French, Spanish, Italian and Portuguese. */
const translatedActions = `
  bearbeiten hinzufugen hinzufuegen speichern senden bestellen kaufen anmelden registrieren modifier ajouter enregistrer
  envoyer commander acheter editar anadir guardar enviar comprar modifica modificare aggiungi salva invia acquista
  cancella adicionar salvar`;

/** A name is denied if one of its words is listed; two words may be joined (`order_id` is `orderid`). */
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

/** Names that are denied only as a whole. */
export const wholeNames = setOf(`
  s q k w u e name names to tx ab fb like wc
`);

/** A name is denied if its letters contain one of these. Their lengths are fixed, so it takes linear time. */
export const nameFragments =
  /delete|remove|unsub|debug|admin|printer|printv|webcal|phpsess|url|subscri|cancel|confirm|verif|activat|approv|upload|download|checkout|wishlist|cookie|currency|coupon|preview|expir|session|sesskey|sessid|token|nonce|csrf|xsrf|passw|auth(?!ors?(?:id|name)?$)|logout|login|logon|mail|secret|credential|signature|hmac|redir|return|callback|search|ajax|user|apikey|captcha|xamz|xgoog|saml|oauth|openid/;

/** A value is denied if it begins with one of these words, or ends with one and has at most three words. */
export const valueActions = setOf(`${translatedActions}
  add edit update create insert save submit send ban unban unsubscribe subscribe undo rollback revert merge reply
  newreply newthread newtopic newpost newpm editpost deletepost addpost addcomment postreply postcomment sendmessage
  sendmail sendtofriend emailfriend tellafriend lostpassword retrievepassword emailpassword postpass markread markall
  moderate setlang setcurrency editprofile del rm expire flush logging
`);

/** A value is denied if it is one of these words, or ends with one and has at most three words. */
export const valuePlaces = setOf(`
  search finder ajax users mailto email print preview feed rss json xml wishlist profile inbox pm compare webhook
  registration authentication
`);

/** Values that are denied only as a whole. */
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
