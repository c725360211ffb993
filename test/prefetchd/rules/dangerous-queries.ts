// Queries as real software writes them, raw and without `?`. Those of `dangerousQueries` act, are personal, contain a
// secret, were typed or are no page: none may be learned. Those of `pageQueries` are pages that visitors navigate to.

const hex32 = '9e107d9d372bb6826bd81d3542a419d6';
const uuid = '550e8400-e29b-41d4-a716-446655440000';
const jwt = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U';

/** The words of a text. */
const words = (text: string): readonly string[] => text.trim().split(/\s+/);

export const dangerousQueries: Record<string, readonly string[]> = {
  WordPress: words(`action=logout&_wpnonce=4f1b2c3d4e action=rp&key=k3JdA9x0Lq2vB7mZ&login=jane
    action=lostpassword action=register action=postpass
    action=confirmaction&request_id=12&confirm_key=abcdefgh12345678abcd
    redirect_to=%2Fwp-admin%2F&reauth=1 loggedout=true&wp_lang=en_US p=12&preview=true
    preview_id=12&preview_nonce=ab12cd34ef&preview=true p=1&replytocom=27
    unapproved=31&moderation-hash=5f4dcc3b5aa765d61d8327deb882cf99 s=my+illness
    s=hello&post_type=product feed=rss2 feed=comments-rss2&p=12 withcomments=1&feed=atom
    rest_route=/wp/v2/posts doing_wp_cron=1700000000.1234567890123456789012
    customize_changeset_uuid=550e8400-e29b-41d4-a716-446655440000 customize_theme=twentytwenty
    wp_customize=on share=facebook&nb=1 like_comment=5&_wpnonce=0a1b2c3d4e relatedposts=1
    relatedposts_hit=1&relatedposts_origin=12&relatedposts_position=0 post=12&action=edit
    action=delete&post=12 elementor-preview=12&ver=17 et_fb=1&PageSpeed=off&preview=true
    interim-login=1 author_name=jane%40site.example wptouch_switch=desktop&redirect=/
    tribe-bar-search=concert ical=1&ajax=1 p=12&print=pdf`),
  WooCommerce: words(`add-to-cart=99 add-to-cart=99&quantity=2
    remove_item=c4ca4238a0b923820dcc509a6f75849b&_wpnonce=12ab34cd56
    undo_item=c4ca4238a0b923820dcc509a6f75849b removed_item=1 wc-ajax=get_refreshed_fragments
    wc-api=WC_Gateway_Paypal key=wc_order_5f2b1a3c4d5e6
    pay_for_order=true&key=wc_order_abcdEFGHijkl1 order-received=1024&key=wc_order_x order-pay=1024
    view-order=1024 order_again=1024&_wpnonce=aabbccdd11 apply_coupon=WELCOME10
    coupon_code=WELCOME10 download_file=12&order=wc_order_abc&email=jane%40site.example&key=x
    add_to_wishlist=42 remove_coupon=welcome10 cancel_order=true&order=wc_order_abc&order_id=10
    empty-cart reset-link-sent=true show-reset-form=true&action=rp product_id=5&qty=3`),
  Joomla: words(`option=com_users&task=user.logout&return=aW5kZXgucGhw
    option=com_users&task=user.logout&${hex32}=1 option=com_users&view=login
    option=com_users&view=reset&layout=confirm option=com_users&view=registration
    option=com_users&view=profile&user_id=42 option=com_users&task=registration.activate&token=abc
    option=com_content&task=article.edit&a_id=7 option=com_content&view=form&layout=edit&a_id=7
    option=com_content&view=article&id=7&tmpl=component&print=1
    option=com_content&view=article&id=7&format=pdf
    option=com_content&view=category&format=feed&type=rss format=feed&type=atom
    option=com_mailto&tmpl=component&template=protostar&link=4fb9b8a2d9c9c6b43bb1f1a6bca1d8d1
    option=com_search&searchword=abc&ordering=newest option=com_finder&view=search&q=abc
    option=com_ajax&plugin=x&format=json option=com_banners&task=click&id=1
    option=com_weblinks&task=weblink.go&id=3 option=com_virtuemart&view=cart&task=add
    option=com_virtuemart&view=cart option=com_acymailing&ctrl=user&task=out&mailid=1&subid=2
    option=com_jcomments&task=delete&id=3 option=com_content&task=vote&id=7&user_rating=5`),
  Drupal: words(`q=user/logout q=logout q=node/7/edit q=node/7/delete q=search/node/illness
    q=user/reset/12/1700000000/abcdefabcdef q=comment/reply/7 q=node/add/story&destination=node/7
    destination=node/7 destination=/user/logout token=V3xT0kEnV3xT0kEn pass-reset-token=aBcDeFgHiJ
    check_logged_in=1 _format=json _wrapper_format=drupal_ajax
    ajax_form=1&_wrapper_format=drupal_ajax form_build_id=form-AbCdEf123456
    form_id=user_login_form&op=Log+in op=delete&id=3 keys=illness search_api_fulltext=illness
    combine=my+words f[0]=color:red itok=Ab3dEf9h rate=aB12&token=x edit%5Btitle%5D=x mail=jane
    field_x=1&sid=12`),
  Magento: words(`form_key=Hf8dK2lQzX0a1b2C product=5&qty=1&related_product=
    uenc=aHR0cHM6Ly9zaXRlLmV4YW1wbGUv ___SID=U SID=a1b2c3d4e5f6a7b8c9d0a1b2c3
    ___store=fr&___from_store=en ___store=default isAjax=1&cat=3 q=shirt id=5&token=abcdef
    options=cart super_attribute[93]=52&super_attribute[141]=166 currency=USD
    back_url=aHR0cDovL3NpdGU coupon_code=SPRING&remove=0 order_id=100000123&protect_code=1a2b3c
    email=jane%40site.example&token=t key=9f8e7d6c5b4a39281706f5e4d3c2b1a0
    product_compare=1&uenc=x`),
  phpBB: words(`mode=logout&sid=${hex32} t=5&sid=${hex32} mode=login&redirect=index.php
    mode=register mode=reply&f=2&t=5 mode=quote&f=2&p=15 mode=edit&f=2&p=15 mode=delete&f=2&p=15
    mode=post&f=2 mode=viewprofile&u=2 mode=email&u=2 mode=sendpassword i=pm&mode=compose&u=2
    i=ucp_pm&folder=inbox hash=0a1b2c3d&f=2&mark=topics&mark_time=1700000000
    f=2&t=5&watch=topic&start=0&hash=1a2b3c4d f=2&t=5&bookmark=1&hash=1a2b3c4d f=2&t=5&vote=up
    f=2&t=5&view=unread f=2&t=5&view=print search_id=egosearch search_id=unanswered
    author_id=2&sr=posts&keywords=abc f=2&t=5&hilit=word mode=confirm&confirm_id=abc&type=1
    u=2&k=abc123&mode=activate`),
  MediaWiki: words(`title=Main_Page&action=edit title=Main_Page&action=edit&redlink=1
    title=Main_Page&action=history title=Main_Page&action=purge
    title=Main_Page&action=raw&ctype=text/css title=Main_Page&veaction=edit title=Special:UserLogout
    title=Special:UserLogin&returnto=Main+Page title=Special:Random
    title=Special%3ASearch&search=illness title=Spezial:Anmelden title=Main_Page&printable=yes
    title=Main_Page&diff=prev&oldid=12 title=Main_Page&oldid=12 title=User:Jane
    title=Main_Page&redirect=no title=Main_Page&action=watch&token=x
    title=Main_Page&action=rollback&from=Jane search=illness&go=Go`),
  Moodle: words(`sesskey=aB3dE5fG7h id=5&sesskey=aB3dE5fG7h&edit=on id=5&notifyeditingon=1&sesskey=x
    id=5&user=12 id=5&switchrole=-1 attempt=1234&cmid=12 id=5&delete=7&confirm=1
    forcedownload=1&token=x id=5&hide=12 subscribe=1&id=3 id=5&download=csv loginpage=1
    testsession=12 d=12&mode=add`),
  vBulletin: words(`do=logout&logouthash=1700000000-${hex32} do=newreply&p=12 do=editpost&p=12
    do=markread&markreadhash=guest s=9e107d9d372bb6826bd81d3542a419d6&t=12 t=12&goto=newpost
    do=sendtofriend&t=12 do=addsubscription&t=12 p=12&highlight=word do=getnew
    securitytoken=1700000000-0a1b u=12&a=act&i=0f0f0f0f`),
  SMF: words(`action=logout;sesc=9e107d9d372bb6826bd81d3542a419d6 action=profile;u=1
    action=post;topic=5.0 action=markasread;sa=board;board=2.0 topic=5.0;action=lock
    PHPSESSID=0a1b2c3d4e5f6a7b8c9d0e1f&topic=5.0 action=notify;sa=on;topic=5.0 action=.xml;type=rss
    topic=5.0;wap2;token=1`),
  PrestaShop: words(`controller=cart&add=1&id_product=5&token=abc
    controller=cart&delete=1&id_product=5 controller=order controller=order-opc
    controller=authentication&back=my-account controller=my-account
    controller=order-detail&id_order=12 controller=password&token=x&id_customer=2 mylogout=
    id_product=5&content_only=1 controller=search&search_query=shirt recover_cart=12&token_cart=x
    SubmitCurrency=1&id_currency=2 controller=guest-tracking
    fc=module&module=paypal&controller=payment controller=identity`),
  OpenCart: words(`route=checkout/cart route=checkout/cart/add route=checkout/checkout
    route=account/login route=account/logout route=account/wishlist
    route=account/order/info&order_id=12 route=product/compare route=product/search&search=phone
    route=common/currency/currency route=common/language/language&code=en
    route=extension/payment/pp_express/callback route=account/forgotten&code=abc
    route=affiliate/login route=product/product/write&product_id=43&captcha=x`),
  TYPO3: words(`id=5&cHash=9e107d9d372bb6826bd81d3542a419d6 tx_felogin_pi1[forgot]=1
    logintype=logout logintype=login&pid=5 id=5&no_cache=1 id=5&type=98&print=1
    tx_indexedsearch[sword]=abc ADMCMD_previewWS=1 eID=autocomplete&q=a redirect_url=/intern`),
  'logins, links by e-mail, OAuth': words(`logout logout=1 signout=true do=signOut
    code=4%2F0AX4XfWh&state=xyz&scope=email code=SplxlOBeZQQYbYS6WxSbIA
    error=access_denied&state=xyz oauth_token=abc&oauth_verifier=def access_token=abc
    id_token=${jwt} SAMLResponse=PHNhbWxwOl RelayState=x&SAMLRequest=y
    ticket=ST-1856339-aA5Yuvrxzpv8Tau1cYQ7 response_type=token&client_id=1 openid.mode=checkid_setup
    magic=1&email=jane@site.example t=${jwt} id=${uuid} reset_password_token=abcdef
    confirmation_token=abcdef invite=abcdef verify=1&u=3 jsessionid=0A1B2C3D CFID=123&CFTOKEN=456
    ASPSESSIONIDQ=ABC zenid=abc osCsid=abc auth=abc authuser=0 apikey=abc api_key=abc pwd=secret
    pin=1234 wa=wsignin1.0 onetime=abc checksum=abc phpsess=1 mod=logging`),
  'signed and shared URLs': words(`
    X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Expires=300&X-Amz-Signature=abc
    AWSAccessKeyId=AKIAEXAMPLE&Expires=1700000000&Signature=abc%3D
    Expires=1700000000&Signature=abc&Key-Pair-Id=K X-Goog-Signature=abc
    sv=2022-11-02&sig=abc%3D&se=2024-01-01 hdnts=exp=1700000000~acl=/*~hmac=abc share=abc
    st=abc&hash=def i=dQw4w9WgXcQ file=${hex32} v=0123456789abcdef0123456789abcdef
    x=dGhpcyBpcyBhIHNlY3JldA%3D%3D`),
  'what persons typed, or are': words(`q=illness query=illness search=illness keyword=illness
    suche=krankheit recherche=maladie term=abc filter=jane%40site.example contact=jane
    x=jane@site.example phone=123 x=%2B49+711+123456 x=(415)+555-0123 x=4155550123 x=0711123456
    x=4111111111111111 x=DE89370400440532013000 name=Jane+Doe firstname=Jane
    x=what+should+I+do+about+this+rash lat=48.77&lng=9.18 address=Main+Street+1 username=jane
    user_id=5 userId=5 customer=5 patient_id=7 fname=Jane coords=48.1,9.1 bcc=jane kunde=3
    motdepasse=x ip=192.0.2.1`),
  'other actions and targets': words(`unsubscribe=1 x=unsubscribe mode=optout op=add cmd=remove
    task=update do=like&id=4 vote=1 rate=5 a=deletepost view=dologin x=add_friend acceptcookies=1
    enable=1 mode=resetPassword deletepost=5 markread=4 clearAll=1 mode=bearbeiten ajouter=3
    borrar=3 thumbs=up agree=1 a=del dismiss=1 tab=settings delete delete=7 deleteItem=7
    id=7&remove=1 view=delete-account a=removeFromCart cart buy=5 quantity=1 next=/account
    url=https%3A%2F%2Fevil.example u=//evil.example/ x=%2F%2Fevil.example x=https://evil.example
    page=http:%2f%2fevil.example x=javascript:alert(1) continue=%2Fa return_to=a goto=5
    path=../../etc/passwd page=%252e%252e%252f ref=abc callback=jQuery123_456 jsonp=x
    _=1700000000000 format=json format=raw output=pdf export=1 download print xhr=1 debug=1
    XDEBUG_SESSION_START=1 draft=1 theme=dark ab_test=b nocache=1 lang=en&setlang=1`),
  'denied for one reason alone': words(`x=/a a1b2c3d4e5f6=1 x=a%3Fb x=a%23b x=a%26b x=a..b
    title=Special:Version x=item-edit order=10025 _x -- x=abcdefab-abcd-abcd-abcd-abcdefabcdef
    x=item-1234567890 x=a-0711123 x=deadbeef1 x=abcdefgholmnopqrst1 x=abecidofugabecidofugabecid
    x=xkjqwzpt x=ab12-cd34-ef56`),
  'spellings that hide': words(`%61ction=delete ACTION=Delete x=%64elete x=%2564elete
    x=%0d%0aSet-Cookie:a x=%00 x=%ff x=% x=a%26action%3Ddelete x=1;action=delete
    x=1&amp;action=delete ａction=1 x=ｌｏｇｏｕｔ x=log%E2%80%8Bout page=1&page=2 page=1&PAGE=2 id[]=5
    id%5B%5D=5 a=1&b=2&c=3&d=4&e2=5&f=6&g=7&h=8&i=9 x=${'ab-'.repeat(90)} x=<script> x=%22onload =5
    _method=delete __EVENTTARGET=x`),
};

export const pageQueries: Record<string, readonly string[]> = {
  WordPress: words(`p=12 page_id=7 cat=3 cat=3&paged=2 tag=linux m=202405 author=1 attachment_id=44
    year=2024&monthnum=05&day=17 post_type=event&p=12 category_name=news p=12&lang=de cpage=2
    orderby=price&paged=2 orderby=price-desc&product_cat=shirts product=blue-shirt
    filter_color=blue&filter_size=xl min_price=10&max_price=100 attribute_pa_color=dark-blue`),
  Joomla: words(`option=com_content&view=article&id=7
    option=com_content&view=article&id=7:about-us&catid=2:news&Itemid=101
    option=com_content&view=category&layout=blog&id=9&Itemid=102
    option=com_content&view=category&id=9&limitstart=20
    option=com_content&view=featured&Itemid=435&lang=en option=com_contact&view=contact&id=1
    option=com_tags&view=tag&id=3-cooking
    option=com_k2&view=item&id=5:how-to-delete-old-files-from-disk start=20 limitstart=40
    option=com_virtuemart&view=productdetails&virtuemart_product_id=4&virtuemart_category_id=2`),
  Drupal: words(`q=node/7 q=taxonomy/term/12 page=2 page=0%2C1 sort_by=created&sort_order=DESC`),
  Magento: words(`p=2 cat=12&price=100-200 color=49&size=167
    product_list_order=name&product_list_dir=asc product_list_limit=36&p=3 product_list_mode=list
    dir=asc&order=price&mode=grid manufacturer=12_34`),
  phpBB: ['f=2', 'f=2&t=5', 'f=2&t=5&start=15', 't=12345', 'p=123', 'f=2&sk=t&sd=d&st=0'],
  MediaWiki: words(`title=Main_Page title=Caf%C3%A9_(restaurant) title=Ohm%27s_law
    title=%D0%97%D0%B0%D0%B3%D0%BB%D0%B0%D0%B2%D0%BD%D0%B0%D1%8F
    title=Category:Physics&pagefrom=Newton title=Help:Contents curid=7
    title=Geschwindigkeit&variant=de-ch`),
  Moodle: ['id=5', 'id=5&section=3', 'd=12', 'id=5&lang=fr', 'categoryid=3&browse=courses&page=1'],
  vBulletin: ['t=12&page=2', 'f=5&order=desc&page=3', '12345-title-of-the-thread', 'f=12'],
  SMF: ['topic=5.0', 'topic=12345.15', 'board=2.0', 'topic=5.msg123', 'topic=5.0;topicseen'],
  PrestaShop: words(`controller=product&id_product=5 id_category=3&controller=category&id_lang=1
    id_cms=4&controller=cms order=product.price.asc id_manufacturer=2&controller=manufacturer&p=2`),
  OpenCart: words(`route=product/product&product_id=43
    route=product/product&path=20_27&product_id=43 route=product/category&path=20_27
    route=product/special route=information/information&information_id=4
    route=product/category&path=20&sort=p.price&order=ASC&limit=25
    route=product/manufacturer/info&manufacturer_id=8`),
  TYPO3: ['id=5', 'id=5&L=1', 'id=about'],
  generic: words(`page=2 page=about page=newsletter topic=marketing section=editorial cat=printers
    page=delivery page=news/2024 id=123456789 year=2024&month=5 date=2024-05-17 date=17.05.2024
    sort=newest sort=rating&page=2 lang=en-GB hl=de v=3 tab=reviews tab=specs product=iphone15
    model=rtx4090ti brand=levi-strauss color=ff0000 size=xxl category=men%2Fshoes artikel=42
    news_id=12345678 r=site/index m=Home&c=Index&a=index 12345 /blog/5 id=7&author=12 version=1.2.3
    chapter=3&verse=16 genre=rock+and+roll mod=viewthread&tid=1234 city=berlin&district=mitte`),
};
