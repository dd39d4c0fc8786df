import * as v from "valibot";
import { invalidParam, missingParam } from "../base/errors.ts";
import { limits } from "../base/limits.ts";
import { lengthOf, visibleNamePattern } from "../base/visible-text.ts";
import { parsePlatform, type Shop } from "../platforms/catalogue.ts";
import { idPattern, parseItemId } from "../platforms/item-id.ts";
import { shopFields } from "../platforms/shop-fields.ts";
import { isOfferListingId } from "../scrapers/offer.ts";
import type { OfferReference } from "../scrapers/scraper.ts";

const max = limits.offerChecksMax;
const lengthMax = limits.offerListingIdLengthMax;

const references = (name: string): v.GenericSchema<OfferReference[]> =>
  v.pipe(
    v.array(
      v.object(
        {
          asin: v.pipe(
            v.string("'asin' is a string."),
            v.metadata({ pattern: idPattern("retailer_a") }),
          ),
          offerListingId: v.pipe(
            v.string("'offerListingId' is a string."),
            v.metadata({ minLength: 1, maxLength: lengthMax, pattern: visibleNamePattern }),
            v.description(
              `The offer's id: 1 to ${lengthMax} characters when decoded, without control characters.`,
            ),
          ),
        },
        "An offer must be an object with 'asin' and 'offerListingId'.",
      ),
      `'${name}' is an array of objects with 'asin' and 'offerListingId'.`,
    ),
    v.metadata({ minItems: 1, maxItems: max }),
  );

/** Body of `POST /v1/offers/check` as clients send it (specification, same section). */
export const offerCheckBody = v.object({
  ...shopFields("offer_check"),
  offers: v.optional(
    v.pipe(
      references("offers"),
      v.description(
        `1 to ${max} offers, exactly as returned by the service; the two IDs must belong together.`,
      ),
    ),
  ),
  ids: v.optional(v.pipe(references("ids"), v.description("Alias of `offers`."))),
});

export type OfferCheckBody = v.InferOutput<typeof offerCheckBody>;

/** Which offers to check: every item id is well-formed, every pair unique. */
export interface OfferCheckRequest extends Shop {
  readonly offers: readonly OfferReference[];
}

/**
 * The body with its defaults filled in and every rule checked.
 * @throws 501 for what is announced only, 400 that names the parameter at fault.
 */
export function parseOfferCheckRequest(body: OfferCheckBody): OfferCheckRequest {
  const shop = parsePlatform(body, "offer_check");
  const { name, sent } = offersOf(body);
  if (sent.length === 0) {
    throw invalidParam(name, `'${name}' holds no offer. Send 1 to ${max} offers.`);
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
      `'${name}' holds ${unique.size} different offers; one call checks at most ${max}.`,
    );
  }
  return { ...shop, offers: [...unique.values()] };
}

/** The body schema of the route: parsed and checked in one go, a refusal is thrown as it is. */
export const offerCheckRequest = v.pipe(offerCheckBody, v.transform(parseOfferCheckRequest));

/** The offers as they were sent, and the parameter they were sent in. */
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
 * An id as the service returned it, or as a URL carries that (`%2B` for a plus sign).
 * @throws 400 INVALID_PARAM for a text that cannot be an offer's id.
 */
function parseOfferListingId(raw: string, param: string): string {
  const id = urlDecoded(raw.trim()).trim();
  if (isOfferListingId(id)) return id;
  throw invalidParam(
    param,
    `'offerListingId' ${whatIsWrong(id)} Send it as the service returned it.`,
  );
}

function whatIsWrong(id: string): string {
  if (id === "") return "must not be empty.";
  if (lengthOf(id) > lengthMax) {
    return `must be at most ${lengthMax.toLocaleString("en-US")} characters (got ${lengthOf(id).toLocaleString("en-US")}).`;
  }
  return "must not contain control characters or unpaired surrogates.";
}

function urlDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A percent sign that encodes nothing: the text was not encoded.
    return text;
  }
}
