/** Prefix of every ID. It names the version of the ID's content. */
const form = "o1.";

export interface OfferIdentity {
  readonly listing: string;
  readonly sellerId: string;
  /** A condition of the specification. */
  readonly condition: string;
  readonly isFba: boolean;
  /**
   * Distinguishes offers of one listing that are equal in all other parts: the source's number of
   * the offer. Undefined for the first of them, because a read of the buy box returns no number and
   * must produce the same ID.
   */
  readonly number?: number | undefined;
}

/**
 * Builds an offer ID, because the source has none that the retailer would recognize.
 *
 * The ID is derived from the offer's identity and not from its price, so every read returns the
 * same one. URL-safe.
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

/** Returns the listing in an ID of `historyOfferId`; undefined for any other text. */
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
