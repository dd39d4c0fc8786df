/** What every id begins with; tells apart what ids are made of, if that should ever change. */
const form = "o1.";

export interface OfferIdentity {
  readonly listing: string;
  readonly sellerId: string;
  /** As the specification names it. */
  readonly condition: string;
  readonly isFba: boolean;
  /**
   * Tells apart the offers of one listing that are alike in the rest: the number that the source
   * gives such an offer. None for the first of them, so that a read of the buy box, which knows no
   * numbers, gives it the same id.
   */
  readonly number?: number | undefined;
}

/**
 * An id of our own for an offer: the source has none that the retailer would know. It is made of
 * what the offer is, so that every read gives the same one, and not of what it costs. URL-safe.
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

/** The listing whose offer an id of ours names; undefined for what is none. */
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
