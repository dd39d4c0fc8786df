import * as v from "valibot";
import { offerSchema } from "../../shared/scrapers/offer.ts";
import { readShape } from "../../shared/sources/upstream-shape.ts";
import { brief } from "./difference.ts";

const listing = v.object({ offers: v.array(v.record(v.string(), v.unknown())) });

/** Fields for which the service cannot take a listing, such as `offers.0.price: -5`. */
export function unreadOffers(data: unknown): string[] {
  if (!v.is(listing, data)) return [];
  return data.offers.flatMap((offer, n) =>
    Object.entries<v.GenericSchema>(offerSchema.entries)
      .filter(([name, schema]) => !v.is(schema, readShape(schema, offer[name], name)))
      .map(([name]) => `offers.${n}.${name}: ${brief(offer[name])}`),
  );
}
