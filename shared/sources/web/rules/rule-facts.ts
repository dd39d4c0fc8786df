import { amountOf } from "../amount.ts";
import { type AvailabilityWord, availabilityWord } from "../availability-word.ts";
import { currencyIn } from "../currency-word.ts";
import { omitUndefined } from "../../contract/defined.ts";
import type { OfferedPrice } from "../offer-price.ts";
import { currencyOfAmount, findCurrencies } from "../page-currency.ts";
import { plainText } from "../plain-text.ts";
import type { ProductFacts } from "../product-facts.ts";
import { inStockTexts, outOfStockTexts } from "../visible/words.ts";
import type { WantedProduct } from "../wanted-product.ts";
import type { ExtractRules } from "./rule.ts";
import type { RuleField } from "./rule-texts.ts";
import { ruleValues } from "./rule-values.ts";

/**
 * Returns the facts of a page that the deployer's rules select. A price whose text is not one
 * amount, such as "from $10", counts as unclear.
 * @param wanted the requested product
 */
export function ruleFacts(html: string, rules: ExtractRules, wanted: WantedProduct): ProductFacts {
  const foundValues = ruleValues(html, rules).filter(({ value }) => value !== undefined);
  const valueOf = (field: RuleField): string | undefined =>
    foundValues.find((one) => one.field === field)?.value;
  const textOf = (field: RuleField): string | undefined => {
    const text = plainText(valueOf(field) ?? "");
    return text === "" ? undefined : text;
  };
  const stated = valueOf("price");
  const reading = { html, wanted, currency: currencyIn(valueOf("currency") ?? "") };
  const price = priceIn(stated, reading);
  const image = imageIn(valueOf("image"), wanted.url);
  return omitUndefined<ProductFacts>({
    price,
    listPrice: priceIn(valueOf("listPrice"), reading),
    isPriceUnclear: price === undefined && /[1-9]/.test(stated ?? "") ? true : undefined,
    availability: availabilityIn(valueOf("availability")),
    title: textOf("title"),
    seller: textOf("seller"),
    brand: textOf("brand"),
    images: image === undefined ? undefined : [image],
  });
}

interface PriceReading {
  readonly html: string;
  readonly wanted: WantedProduct;
  /** The currency code that a rule selected. */
  readonly currency: string | undefined;
}

/** Returns the price in a selected text; undefined if there is no text or it is not one amount. */
function priceIn(
  text: string | undefined,
  { html, wanted, currency }: PriceReading,
): OfferedPrice | undefined {
  if (text === undefined) return undefined;
  const mark = /\p{Sc}/u.exec(text)?.[0] ?? "";
  const code =
    currency ?? currencyIn(text) ?? currencyOfAmount(mark, wanted.currency, findCurrencies(html));
  const amount = amountOf(text, code ?? wanted.currency);
  return amount === undefined ? undefined : { amount, currency: code };
}

/** Returns the availability in a value: a term, a phrase, a flag or a number of pieces. */
function availabilityIn(text: string | undefined): AvailabilityWord | undefined {
  if (text === undefined) return undefined;
  if (/^(?:true|false)$/i.test(text)) return /^t/i.test(text) ? "instock" : "outofstock";
  if (/^\d{1,7}$/.test(text)) return Number(text) > 0 ? "instock" : "outofstock";
  const word = availabilityWord(text);
  if (word !== undefined) return word;
  if (outOfStockTexts.test(text)) return "outofstock";
  return inStockTexts.test(text) ? "instock" : undefined;
}

/** Returns an HTTP or HTTPS address, resolved against `base`; undefined for any other address. */
function imageIn(address: string | undefined, base: URL): string | undefined {
  if (address === undefined || !URL.canParse(address, base.href)) return undefined;
  const url = new URL(address, base);
  return /^https?:$/.test(url.protocol) ? url.href : undefined;
}
