// Slugs of ordinary pages. `ordinarySlugs` makes as many as wanted from a grammar of titles in twelve languages, the
// same each time; among its nouns and verbs are words that act elsewhere. `titlesThatLookAlike` are picked by hand.

interface Grammar {
  nouns: string;
  adjectives: string;
  verbs: string;
  /** `N`, `A` and `V` are replaced by words of the lists. */
  titles: string;
}

const grammars: readonly Grammar[] = [
  {
    nouns: `garden bridge river teacher engine recipe bread winter island museum festival library school bicycle camera
      ocean forest budget market village market-garden guitar mountain kitchen weather harvest novel painter order
      account cart register password profile buyer basketball cartoon accounting orderly deletion checklist loginova`,
    adjectives: `small old green famous modern hidden quiet northern simple long digital wooden free early local strange`,
    verbs: `build paint grow repair choose clean plan write draw cook visit store fold teach measure photograph carry
      restore explore describe forget order delete remove`,
    titles: `the-A-N A-N-of-the-A-N how-to-V-a-A-N why-we-V-N a-guide-to-A-N N-and-N-in-the-A-N what-is-a-A-N
      V-a-A-N-in-ten-easy-steps ten-A-N-for-your-N the-history-of-the-N N-vs-N A-N-review`,
  },
  {
    nouns: `garten brücke fluss lehrer motor rezept brot winter insel museum fest schule fahrrad kamera wald haushalt markt
      dorf gitarre berg küche wetter ernte roman maler bestellung krankenkasse kontostand warenkunde profilbild
      abendkasse kaufhaus`,
    adjectives: `kleine alte grüne berühmte moderne versteckte ruhige einfache lange digitale freie frühe seltsame`,
    verbs:
      'bauen malen züchten reparieren wählen putzen planen schreiben zeichnen kochen besuchen lagern löschen kaufen',
    titles: `die-A-N A-N-und-A-N wie-man-A-N-selbst-V-kann warum-wir-N-V-müssen N-im-A-N alles-über-N zehn-A-N-für-den-N
      was-ist-ein-N die-geschichte-der-A-N N-richtig-V-und-lagern-lernen`,
  },
  {
    nouns: `jardin pont fleuve maître moteur recette pain hiver île musée fête école vélo appareil forêt budget marché
      village guitare montagne cuisine temps récolte roman peintre commande compte-rendu panier-garni connexion`,
    adjectives:
      'petit vieux vert célèbre moderne caché calme simple long numérique libre local étrange',
    verbs:
      'construire peindre cultiver réparer choisir nettoyer planifier écrire dessiner cuisiner visiter acheter',
    titles: `le-A-N N-et-N-de-la-N comment-V-un-N-A pourquoi-V-son-N tout-savoir-sur-le-N dix-N-pour-le-N
      l-histoire-du-N V-un-N-A-en-hiver le-N-du-N-A la-ligne-de-N-A`,
  },
  {
    nouns: `jardín puente río maestro motor receta pan invierno isla museo fiesta escuela bicicleta cámara bosque
      presupuesto mercado pueblo guitarra montaña cocina clima cosecha novela pintor carretera cuento pedidos`,
    adjectives:
      'pequeño viejo verde famoso moderno oculto tranquilo simple largo digital libre local extraño',
    verbs:
      'construir pintar cultivar reparar elegir limpiar planear escribir dibujar cocinar visitar comprar borrar',
    titles: `el-N-A N-y-N-del-A-N como-V-un-N-A por-que-V-el-N todo-sobre-el-N diez-N-para-el-N la-historia-del-N
      V-un-N-A-en-casa el-A-N-de-la-N`,
  },
  {
    nouns: `giardino ponte fiume maestro motore ricetta pane inverno isola museo festa scuola bicicletta bosco mercato
      villaggio chitarra montagna cucina tempo raccolto romanzo pittore cassaforte conto-alla-rovescia parola`,
    adjectives:
      'piccolo vecchio verde famoso moderno nascosto tranquillo semplice lungo digitale libero locale strano',
    verbs:
      'costruire dipingere coltivare riparare scegliere pulire scrivere disegnare cucinare visitare acquistare',
    titles: `il-A-N N-e-N-della-A-N come-V-un-N-A perche-V-il-N tutto-sul-N dieci-N-per-il-N la-storia-del-N-A`,
  },
  {
    nouns: `jardim ponte rio professor motor receita pão inverno ilha museu festa escola bicicleta floresta mercado aldeia
      guitarra montanha cozinha tempo colheita romance pintor contagem senhora`,
    adjectives:
      'pequeno velho verde famoso moderno escondido calmo simples longo digital livre local estranho',
    verbs:
      'construir pintar cultivar reparar escolher limpar planejar escrever desenhar cozinhar visitar apagar',
    titles:
      'o-N-A N-e-N-da-A-N como-V-um-N-A por-que-V-o-N tudo-sobre-o-N dez-N-para-o-N a-historia-do-N-A',
  },
  {
    nouns: `tuin brug rivier leraar motor recept brood winter eiland museum feest school fiets bos markt dorp gitaar berg
      keuken weer oogst roman schilder kassabon rekening`,
    adjectives:
      'kleine oude groene beroemde moderne verborgen rustige eenvoudige lange digitale vrije vreemde',
    verbs:
      'bouwen schilderen kweken repareren kiezen poetsen plannen schrijven tekenen koken bezoeken kopen',
    titles:
      'de-A-N A-N-en-A-N hoe-je-een-A-N-kunt-V waarom-wij-N-V-willen alles-over-N tien-A-N-voor-de-N',
  },
  {
    nouns: `ogród most rzeka nauczyciel silnik przepis chleb zima wyspa muzeum święto szkoła rower las rynek wieś gitara
      góra kuchnia pogoda zbiory powieść malarz kasztan koszykówka`,
    adjectives:
      'mały stary zielony sławny nowoczesny ukryty spokojny prosty długi cyfrowy wolny lokalny dziwny',
    verbs:
      'budować malować uprawiać naprawić wybrać czyścić planować pisać rysować gotować zwiedzać kupić',
    titles:
      'A-N N-i-A-N jak-V-A-N dlaczego-warto-V-N wszystko-o-N dziesięć-A-N-na-zimę historia-A-N',
  },
  {
    nouns: `сад мост река учитель мотор рецепт хлеб зима остров музей праздник школа велосипед лес рынок деревня гитара
      гора кухня погода урожай роман художник заказник счетчик`,
    adjectives:
      'маленький старый зеленый известный новый скрытый тихий простой длинный свободный странный',
    verbs:
      'построить нарисовать вырастить починить выбрать почистить написать приготовить посетить купить удалить',
    titles:
      'A-N N-и-A-N как-V-A-N зачем-V-N все-про-N десять-A-N-для-дачи история-A-N где-можно-V-A-N',
  },
  {
    nouns: `trädgård bro flod lärare motor recept bröd vinter ö museum fest skola cykel skog marknad by gitarr berg kök
      väder skörd roman målare kontor kassaskåp`,
    adjectives: 'liten gammal grön berömd modern gömd lugn enkel lång digital fri lokal konstig',
    verbs: 'bygga måla odla laga välja städa planera skriva rita besöka köpa',
    titles: 'en-A-N A-N-och-A-N hur-man-kan-V-en-A-N varför-vi-V-N allt-om-N tio-A-N-för-din-N',
  },
  {
    nouns: `bahçe köprü nehir öğretmen motor tarif ekmek kış ada müze bayram okul bisiklet orman pazar köy gitar dağ mutfak
      hava hasat roman ressam girişim hesaplama`,
    adjectives: 'küçük eski yeşil ünlü modern gizli sakin basit uzun dijital özgür yerel garip',
    verbs: 'yapmak boyamak yetiştirmek onarmak seçmek temizlemek yazmak çizmek pişirmek almak',
    titles:
      'A-N A-N-ve-A-N nasıl-A-N-V-gerekir neden-N-V-isteriz N-hakkında-her-şey evde-A-N-için-on-öneri',
  },
  {
    nouns:
      '庭園 東京 歴史 料理 音楽 写真 旅行 映画 登録商標 注文住宅 京都 北海道 天気 野球 鉄道 数学 建築 小説',
    adjectives: '新しい 古い 有名な 小さな 美しい 静かな 簡単な 日本の 世界の 冬の 夏の 最高の',
    verbs: '作る 撮る 学ぶ 楽しむ 歩く 選ぶ 描く 調べる',
    titles: 'AN Aの歴史とN Nを自分でV方法 AN十選 初めてのAN Nについて知りたいこと AとAN',
  },
];

/** As many different slugs, in lower case, of all languages in turn. */
export function ordinarySlugs(count: number): string[] {
  const lists = grammars.map((grammar) => ({
    ...{ N: grammar.nouns.split(/\s+/), A: grammar.adjectives.split(/\s+/) },
    ...{ V: grammar.verbs.split(/\s+/), T: grammar.titles.split(/\s+/) },
  }));
  let seed = 20_240_517;
  const pick = (words: readonly string[]): string => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return words[Math.floor((seed / 2 ** 32) * words.length)] ?? '';
  };
  const slugs = new Set<string>();
  for (let round = 0; slugs.size < count; round++) {
    const words = lists[round % lists.length] as (typeof lists)[number];
    slugs.add(pick(words.T).replace(/[NAV]/g, (kind) => pick(words[kind as 'N' | 'A' | 'V'])));
  }
  return [...slugs];
}

export const titlesThatLookAlike: readonly string[] = `
  /order-of-the-phoenix /order-of-operations /blog/the-new-world-order /accounting-basics /account-manager-jobs
  /cartoons /cart-horses-of-flanders /go-kart-racing /cartography /wiki/Cart_(surname) /basket-weaving /basketball
  /register-of-members /cash-registers /buyers-guide /buying-a-house /buy-local-campaign /profile-of-a-poet /profiles-in-courage
  /deleted-scenes /deletionism /removal-of-stains-from-wood
  /login-screen-design-ideas /logistics /logo-design /logging-in-siberia
  /checkout-counters-of-the-past /wishlist-of-a-traveller /unsubscribed-listeners-a-study /how-to-cancel-a-contract-properly
  /why-we-removed-the-logout-button /how-to-delete-files /history-of-passwords
  /kassel /kassenzettel-geschichte /die-krankenkasse /kontor /kontoauszug-lesen /kontoeröffnung /bestellnummern /bestelltipps
  /kaufhaus-des-westens /kaufen-oder-mieten /profilbilder /warenkunde /passwortmanager /abmeldebescheinigung /anmeldefristen
  /wie-kann-ich-mein-auto-abmelden /löschfahrzeuge /löschpapier
  /comptes-rendus /compte-tenu-de-la-situation /commandes-vocales /la-ligne-de-commande-expliquée /paniers-gourmands
  /acheter-une-maison /connexions-neuronales /inscriptions-latines
  /cuentos-infantiles /cuenta-atras /comprar-una-casa-en-madrid /carreteras /salir-de-fiesta /registro-fosil /perfiles-de-acero
  /contabilidade /saida-de-campo /compra-de-casa /senhoras /sacolas-de-pano
  /contorno-occhi /ordine-alfabetico /cassaforte /uscita-didattica /entrata-libera /acquisti-verdi
  /winkelcentrum /kassabon /profielfoto /koopwoning /bestelbus
  /konto-bankowe /kupony /kasztany /zamek /usunięty-film /koszykówka /profilaktyka
  /ucetnictvi /kosikova /smazeny-syr /hesla-a-symboly-hradu
  /kontor /köpcentrum /kassaskåp /kurvor /fjernsyn /kobber /slettebakken /profilering
  /tilastot /ostoskeskus /poistumistie /kirjasto
  /kosárlabda /fiókos-szekrény /rendelet /profi-foci
  /contabilitate /cosmetice /plată-și-muncă /comandant
  /hesaplama /girişimcilik /çıkış-yolu-arayanlar /silah-tarihi /sipariş-yönetimi-nedir
  /выходные /входная-дверь /корзина-для-пикника-своими-руками /заказник /купить-или-снимать-квартиру /счастье /профилактика
  /входящие-звонки /замовляння /кошики-з-лози /λογαριασμοί-κοινής-ωφέλειας-2024 /αγορά-ακινήτων
  /ورودی-شهر /حسابداری /خریدار /حسابات-فلكية /שולחן-עבודה /חשבונאות
  /登録商標 /注文住宅 /カートゥーン /レジャー /登山 /订阅号 /注音符号 /购物中心 /登封市 /로그분석 /주문진 /계정과목
  /muay-thai /xoai-cat-hoa-loc /mua-sam-o-singapore /masukan-pembaca /daftar-isi /belitung /บัญชีรายชื่อ-นักกีฬา
  /wiki/Token_ring /wiki/Order_(biology) /wiki/Session_(band) /watch/the-cart-before-the-horse
  /signature-dishes /digital-signature-explained /nonce-words /secret-garden /hash-browns /keys-to-success /codes-of-conduct
  /joint-venture /join-us /share-prices /sharepoint-guide /invitation-to-the-dance-a-ballet /tokens-and-trees`
  .trim()
  .split(/\s+/);
