/** The prefix of every offer ID: the version of the ID's format. */
const form = "o1.";

/** The facts that identify an offer of a listing. */
export interface OfferIdentity {
  readonly listing: string;
  readonly sellerId: string;
  /** The condition as the specification names it. */
  readonly condition: string;
  readonly isFba: boolean;
  /**
   * The source's number of the offer, which distinguishes offers of one listing that are equal in
   * all other parts. It is undefined for the first of these offers. A read of the buy box returns
   * no number, and must produce the same ID.
   */
  readonly number?: number | undefined;
}

/**
 * Builds a URL-safe offer ID, because the source has no offer IDs that the retailer recognizes.
 *
 * The ID is derived from the offer's identity, not from the offer's price, so every read returns
 * the same ID for an offer.
 */
export function historyOfferId({
  listing,
  sellerId,
  condition,
  isFba,
  number,
}: OfferIdentity): string {
  const parts = [listing, sellerId, condition, isFba ? 1 : 0];
  const identity = JSON.stringify(number === undefined ? parts : [...parts, number]);
  return `${form}${Buffer.from(identity).toString("base64url")}`;
}

/** Returns the listing in an ID that `historyOfferId` built; undefined for any other string. */
export function listingOfOfferId(id: string): string | undefined {
  if (!id.startsWith(form)) return undefined;
  try {
    const parts: unknown = JSON.parse(Buffer.from(id.slice(form.length), "base64url").toString());
    const [listing]: readonly unknown[] = Array.isArray(parts) ? parts : [];
    return typeof listing === "string" ? listing : undefined;
  } catch {
    return undefined;
  }
}
