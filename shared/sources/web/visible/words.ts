/** Joins alternatives to one regular expression that ignores case. */
const any = (...parts: readonly string[]): RegExp => new RegExp(parts.join("|"), "iu");

/** Matches names of controls that add a product to a cart, in classes, IDs and other attributes. */
export const cartNames = any(
  "add(?:ed)?[-_ ]?(?:item|product)?[-_ ]?to[-_ ]?(?:shopping)?[-_ ]?(?:cart|basket|bag|trolley)",
  "(?:^|[-_ ])(?:atc|add2cart|cart[-_]?add|basket[-_]?add|add[-_]?cart|buy[-_]?now|buy[-_]?button|buy[-_]?btn|btn[-_]?buy|btn[-_]?cart)(?![a-z])",
);

/** Matches the complete text of a control that adds a product to a cart or orders it. */
export const cartTexts = new RegExp(
  String.raw`^\W*(?:${[
    // English
    "(?:add|put) (?:this |item )?(?:to|in) (?:my |your |the )?(?:shopping )?(?:cart|basket|bag|trolley)",
    "buy(?: it)? now|buy|order now|pre-?order(?: now)?|add",
    // German, Dutch
    "in den (?:warenkorb|einkaufswagen)(?: legen)?|(?:jetzt )?(?:kaufen|bestellen)|in (?:mijn )?winkel(?:wagen|mand)|bestel(?:len)?",
    // French
    "ajouter (?:au|à mon|à ma) (?:panier|sac|liste d'achats)|acheter(?: maintenant)?|ajouter",
    // Spanish, Portuguese, Italian
    "(?:añadir|agregar|adicionar) (?:a la|al|a) (?:cesta|carrito|carro|bolsa)|comprar(?: ahora| agora| já)?|(?:adicionar|colocar) (?:ao|no) (?:carrinho|cesto)",
    "aggiungi al (?:carrello|sacchetto)|acquista(?: ora)?|compra(?: ora)?",
    // Polish, Czech, Slovenian, Croatian
    "do koszyka|dodaj do koszyka|kup teraz|(?:přidat |vložit )?do košíku|(?:dodaj )?(?:u|v) (?:košaricu|košarico|korpu)|kupi",
    // Swedish, Danish, Norwegian, Finnish
    "(?:lägg|læg|legg) i (?:varukorgen|varukorg|kurven|kurv|handlekurv(?:en)?|kundvagnen?)|köp|køb|kjøp|(?:lisää )?ostoskoriin|osta",
    // Hungarian, Romanian, Turkish, Greek
    "kosárba(?: teszem)?|adaug[ăa] [îi]n co[șs]|sepete ekle|προσθήκη στο καλάθι",
    // Russian, Ukrainian, Bulgarian
    "(?:добавить )?в корзину|купить|до кошика|купити|(?:добави )?в количката|купи",
    // Chinese, Japanese, Korean, Arabic, Hebrew
    "加入(?:購物車|购物车)|放入購物車|(?:立即|馬上|直接)?(?:購買|购买|結帳|搶購)|カートに(?:入れる|追加)|장바구니(?: 담기)?|(?:أضف|اضف) (?:إلى|الى) (?:السلة|الحقيبة|حقيبة التسوق|عربة التسوق)|הוסף לסל|הוספה לסל",
  ].join("|")})\W*$`,
  "iu",
);

/** Matches a string that states that the product can be bought. */
export const inStockTexts = any(
  String.raw`(?<!\b(?:not|if|when|was|once|back|longer) (?:currently )?)\bin stock\b(?! (?:soon|alert|notif))`,
  String.raw`\bavailable (?:now|online|to order|for (?:delivery|immediate|dispatch|shipping))|^\W*available\W*$`,
  String.raw`\bonly \d+ (?:left|remaining)\b|\b\d+ (?:available|in stock)\b`,
  String.raw`\b(?:auf lager|sofort lieferbar|lieferbar in|sofort verfügbar|online verfügbar)\b|^\W*(?:lieferbar|vorrätig|verfügbar)\W*$`,
  String.raw`\ben stock\b|\bdisponible (?:en ligne|immédiatement|maintenant)|^\W*disponible\W*$`,
  String.raw`\bem estoque\b|^\W*(?:disponível|em stock)\W*$|\bdisponibilit[àa] immediata\b|^\W*disponibile\W*$|\bdisponibile subito\b`,
  String.raw`\bop voorraad\b|\bi lager\b|\bpå lager\b|\bvarastossa\b|\bna magazynie\b|^\W*dostępn[yae]\W*$|\bskladem\b|\bna (?:zalihi|stanju|sklade)\b|\braktáron\b|\b[îi]n stoc\b`,
  "(?<!не(?:т)? )в наличии|есть в наличии|в наличност|є в наявності|現貨|有貨|在庫あり|متوفر الآن|(?<!(?:אינו|לא|אינה) )במלאי",
);

/** Matches a string that states that the product cannot be bought. */
export const outOfStockTexts = any(
  String.raw`\bout[- ]of[- ]stock\b|\bsold[- ]out\b|\b(?:not|no longer|currently not|isn['’]t) (?:currently )?(?:available|in stock)\b`,
  String.raw`\b(?:currently|temporarily) (?:un|not )available\b|^\W*unavailable\W*$|\bdiscontinued\b|\bproduct (?:is )?unavailable\b`,
  String.raw`\bnotify me when\b|\bemail me when\b|^\W*sold\W*$`,
  String.raw`\b(?:nicht (?:mehr )?(?:verfügbar|lieferbar|auf lager|vorrätig)|ausverkauft|vergriffen|derzeit nicht verfügbar)\b`,
  String.raw`\b(?:rupture de stock|en rupture|indisponible|épuisé[e]?|non disponible)\b`,
  String.raw`\b(?:agotado|sin stock|no disponible|sin existencias|esgotado|indisponível|sem estoque|esaurito|non disponibile)\b`,
  String.raw`\b(?:uitverkocht|niet op voorraad|slutsåld|udsolgt|utsolgt|loppuunmyyty|niedostępny|brak w magazynie|vyprodáno|rasprodano|nije dostupno|elfogyott|stoc epuizat|tükendi)\b`,
  "нет в наличии|распродано|немає в наявності|изчерпан|缺貨|售完|已售完|補貨中|品切れ|在庫切れ|売り切れ|غير متوفر|נגמר|אזל|(?:אינו|לא|אינה) במלאי",
);

/** Matches a string about the availability of something other than the product. */
export const otherSubjectTexts = any(
  String.raw`\b(?:image|photo|picture|video|bild|foto|imagen|imagem|immagine|zdjęcie|preview|store|shop|location|gift ?wrap|finance|instal)`,
);

/** Matches words, in classes and IDs, of sections about other products than that of the page. */
export const otherSectionNames = any(
  "relat|recomm|similar|also[-_]|cross[-_]?sell|up[-_]?sell|carousel|slider|slick|swiper|accessor|recent|viewed|sponsor|advert|bundle|together|compare|mini[-_]?cart|footer|navbar|menu|newsletter|review|breadcrumb|product[-_]?(?:list|grid|card|tile|item)s?|tile|widget[-_]?list|suggest|complement|modal|wishlist|empfehl|zubehor|andere|autres|otros|altri",
);

/** Matches words of classes and IDs that name a price. */
export const priceNames = any(
  "pri[cs]e|preis|prix|precio|preco|prezzo|prijs|cena|pris(?![mot])|amount|cost|hinta|tsena|kaina",
);

/** Matches words, in classes and IDs, for a price that buyers pay now. */
export const presentPriceNames = any(
  "sale|final|current|now|new|our|offer|deal|special|actual|selling|promo|main|total|discounted|neu|actuel|actual|today|ours|buybox",
);

/** Matches words of classes and IDs that name a former price. */
export const formerPriceNames = any(
  "old|was|regular|list(?:price|[-_]price)|rrp|msrp|strike|struck|before|original|crossed|previous|retail|compare|uvp|base[-_]?price|normal|full[-_]?price|ancien|barre|anterior|line[-_]?through|del(?![a-z])|reference",
);

/** Matches words, in classes, IDs or texts, for an installment, a unit price or a saving. */
export const partPriceNames = any(
  "instal|month|unit|per[-_]|save|saving|discount(?!ed)|shipping|delivery|postage|versand|livraison|tax|vat|deposit|finance|credit|klarna|afterpay|coupon|reward|points?(?![a-z])|voucher|rate|fee|subtotal|threshold|minimum|gift",
);

/** Matches words that indicate a former price, if they are next to an amount. */
export const formerPriceTexts = any(
  String.raw`\b(?:was|were|rrp|msrp|srp|uvp|list price|regular(?: price)?|reg\.|before|original(?:ly)?|compare(?:d)? (?:at|to)|statt|bisher|vorher|avant|au lieu|prix conseillé|antes|prima|precio anterior|tidigare|førpris|norm\.)`,
  "原價|原价|定價|市價|старая|было|戻",
);

/** Matches a string next to an amount that indicates an installment, a saving or a charge. */
export const partPriceTexts = any(
  String.raw`\b(?:sav(?:e|ing|ings)|you save|off|discount|spar(?:en|st|e)|économi\w*|ahorr\w*|rispar\w*|instal\w*|monthly|per month|x \d|payments?|interest|deposit|shipping|delivery|postage|p&p|versand\w*|livraison|lieferung|envío|spedizione|orders? over|free over|spend|minimum|coupon|gift card|voucher|points|reward|apr|fee|tax|vat (?:only|amount))\b`,
  String.raw`/\s*(?:mo(?:nth)?|lb|kg|oz|g|ml|l|100|unit|each|m²|m2|week|day)\b|\bper\s+(?:lb|kg|oz|g|ml|l|100|unit|month|week|day|litre|liter)\b|\bmtl\.|/\s*monat|\d\s*[x×]\s*$|\bsin interés|parcelas|рассрочк|в месяц|/\s*мес`,
);

/** Matches a string next to an amount that indicates that the product has other prices too. */
export const openPriceTexts = any(
  String.raw`\b(?:from|starting (?:at|from)|as low as|up to|ab|dès|à partir de|desde|a partire da|vanaf|från|fra|od|alkaen|von)\s*$`,
  String.raw`\bbid\b|最低價|起$`,
);

/** Matches a sign, an abbreviation or a code of a currency. */
export const currencyMarks =
  /\p{Sc}|\b(?:USD|EUR|GBP|CAD|AUD|NZD|CHF|SEK|NOK|DKK|PLN|CZK|HUF|RON|BGN|HRK|RSD|TRY|RUB|UAH|KZT|INR|PKR|SAR|AED|QAR|KWD|EGP|ILS|JPY|CNY|RMB|TWD|HKD|SGD|KRW|THB|IDR|MYR|PHP|VND|BRL|MXN|CLP|COP|ARS|PEN|ZAR|NGN|KES)\b|\b(?:Kn|kr|Rs|lei|Ft|TL|din|SFr|Fr)\b\.?|zł|Kč|лв|руб|грн|тг|тенге|元|円|원|ر\.س|د\.إ|درهم|ريال/u;
