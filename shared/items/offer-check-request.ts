import * as v from "valibot";
import { invalidParam, missingParam } from "../base/errors.ts";
import { limits } from "../base/limits.ts";
import { addRefusedValue } from "../base/shown-value.ts";
import { lengthOf, visibleNamePattern } from "../base/visible-text.ts";
import { parsePlatform, type Shop } from "../platforms/catalog.ts";
import { itemIdPattern, parseItemId } from "../platforms/item-id.ts";
import { shopFields } from "../platforms/shop-fields.ts";
import { isOfferListingId } from "../scrapers/offer.ts";
import type { OfferReference } from "../scrapers/scraper.ts";
import { type CreditCap, creditCap, maxCreditsField } from "./max-credits.ts";

const max = limits.offerChecksMax;
const lengthMax = limits.offerListingIdLengthMax;

const references = (name: string): v.GenericSchema<OfferReference[]> =>
  v.pipe(
    v.array(
      v.object(
        {
          asin: v.pipe(
            v.string(addRefusedValue("'asin' must be a string.")),
            v.metadata({ pattern: itemIdPattern("retailer_a") }),
          ),
          offerListingId: v.pipe(
            v.string(addRefusedValue("'offerListingId' must be a string.")),
            v.metadata({ minLength: 1, maxLength: lengthMax, pattern: visibleNamePattern }),
            v.description(
              `ID of the offer. After URL decoding: 1 to ${lengthMax} characters, none of them a control character.`,
            ),
          ),
        },
        addRefusedValue("An offer must be an object with 'asin' and 'offerListingId'."),
      ),
      addRefusedValue(`'${name}' must be an array of objects with 'asin' and 'offerListingId'.`),
    ),
    v.metadata({ minItems: 1, maxItems: max }),
  );

/** Body of `POST /v1/offers/check` before parsing (specification, section of this name). */
export const offerCheckBody = v.object({
  ...shopFields("offer_check"),
  offers: v.optional(
    v.pipe(
      references("offers"),
      v.description(
        `1 to ${max} offers, exactly as the service returned them: each with the ID of its item.`,
      ),
    ),
  ),
  ids: v.optional(v.pipe(references("ids"), v.description("Alias of `offers`."))),
  max_credits: maxCreditsField,
});

export type OfferCheckBody = v.InferOutput<typeof offerCheckBody>;

/** The parsed body. Item IDs are valid; pairs of item and offer are unique. */
export interface OfferCheckRequest extends Shop, CreditCap {
  readonly offers: readonly OfferReference[];
}

/**
 * Parses the body of an offer check, sets defaults and checks all rules.
 * @throws 501 for a platform that is announced, but not yet available; 400 that names the invalid
 * parameter
 */
export function parseOfferCheckRequest(body: OfferCheckBody): OfferCheckRequest {
  const shop = parsePlatform(body, "offer_check");
  const { name, sent } = offersOf(body);
  if (sent.length === 0) {
    throw invalidParam(name, `'${name}' has no offers. Send 1 to ${max} offers.`);
  }
  const unique = new Map<string, OfferReference>();
  for (const [index, raw] of sent.entries()) {
    const at = `${name}[${index}]`;
    const asin = parseItemId(shop.platform, raw.asin, `${at}.asin`);
    const offerListingId = parseOfferListingId(raw.offerListingId, `${at}.offerListingId`);
    unique.set(`${asin} ${offerListingId}`, { asin, offerListingId });
  }
  if (unique.size > max) {
    throw invalidParam(
      name,
      `'${name}' must have at most ${max} different offers per call (got ${unique.size}). Send fewer.`,
    );
  }
  return { ...shop, offers: [...unique.values()], ...creditCap(body) };
}

/**
 * The body schema of the route. Its transform throws `ServiceError` for values that the schema
 * cannot check.
 */
export const offerCheckRequest = v.pipe(offerCheckBody, v.transform(parseOfferCheckRequest));

/**
 * Returns the offers of the request, and the name of the parameter that contains them.
 * @throws 400 if the request has neither `offers` nor `ids`, or both
 */
function offersOf({ offers, ids }: Pick<OfferCheckBody, "offers" | "ids">): {
  readonly name: string;
  readonly sent: readonly OfferReference[];
} {
  if (offers !== undefined && ids !== undefined) {
    throw invalidParam("ids", "Send 'offers' or 'ids', not both.");
  }
  if (offers !== undefined) return { name: "offers", sent: offers };
  if (ids !== undefined) return { name: "ids", sent: ids };
  throw missingParam("offers");
}

/**
 * Decodes and checks the ID of an offer, which may be URL-encoded and have blanks around it.
 * @throws 400 INVALID_PARAM if the ID is empty or too long, or contains characters that no ID has
 */
function parseOfferListingId(raw: string, param: string): string {
  const id = urlDecoded(raw.trim()).trim();
  if (isOfferListingId(id)) return id;
  throw invalidParam(param, `'${param}' ${whatIsWrong(id)} Send it as the service returned it.`);
}

/** Returns what is wrong with an ID that `isOfferListingId` refuses. */
function whatIsWrong(id: string): string {
  if (id === "") return "must not be empty.";
  if (lengthOf(id) > lengthMax) {
    return `must have at most ${lengthMax.toLocaleString("en-US")} characters (got ${lengthOf(id).toLocaleString("en-US")}).`;
  }
  return "must not contain control characters or unpaired surrogates.";
}

function urlDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A percent sign without a valid escape sequence means that the string is not URL-encoded.
    return text;
  }
}
