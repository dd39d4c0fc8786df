/** A field whose changes the change listing contains. */
interface ChangedField {
  readonly isNumber: boolean;
  /** The platforms whose items have the field; undefined for all. */
  readonly platforms?: readonly string[];
  /** The kinds that changes of the field can have besides `other`. */
  readonly kinds?: readonly string[];
}

const prices = ["price_drop", "price_rise"];
const ofA = { platforms: ["retailer_a"] };
const ofB = { platforms: ["retailer_b"] };
const ofC = { platforms: ["retailer_c"] };
const ofD = { platforms: ["retailer_d"] };
const text = { isNumber: false };
const number = { isNumber: true };

/** The fields of all platforms, and `delisted`, which is listed like a field. */
export const changedFields: Readonly<Record<string, ChangedField>> = {
  price: { ...number, kinds: prices },
  inStock: { ...text, kinds: ["back_in_stock", "sold_out"] },
  delisted: { ...text, kinds: ["delisted"] },
  availabilityType: { ...text, ...ofA },
  buyable: { ...text, ...ofA },
  buyboxPrice: { ...number, ...ofA, kinds: prices },
  buyboxSeller: { ...text, ...ofA, kinds: ["new_seller"] },
  byPlatform: { ...text, ...ofB },
  clearance: { ...text, ...ofB },
  condition: { ...text, ...ofA },
  deliveryDate: { ...text, ...ofA },
  isFba: { ...text, ...ofA },
  listPrice: { ...number, platforms: ["retailer_a", "retailer_b"] },
  lowestPrice: { ...number, ...ofA, kinds: prices },
  merchant: { ...text, ...ofA, kinds: ["new_seller"] },
  newCount: { ...number, ...ofA },
  newMinPrice: { ...number, ...ofA, kinds: prices },
  offerCount: { ...number, ...ofA },
  offerId: { ...text, ...ofB },
  offerListingId: { ...text, ...ofA },
  pickup: { ...text, ...ofC },
  purchasable: { ...text, ...ofD },
  rating: { ...number, ...ofA },
  regularPrice: { ...number, platforms: ["retailer_c", "retailer_d"] },
  seller: { ...text, ...ofB, kinds: ["new_seller"] },
  shipping: { ...text, ...ofC },
  state: { ...text, ...ofD },
  thirdPartySeller: { ...text, ...ofB },
  usedCount: { ...number, ...ofA },
  usedMinPrice: { ...number, ...ofA },
};

/**
 * Returns true if a change of the field can have this kind. An empty kind means any kind. Returns
 * false for an unknown field.
 */
export const isFieldOf = (field: string, kind: string): boolean => {
  const known = changedFields[field];
  if (known === undefined) return false;
  if (kind === "") return true;
  return kind === "other" ? field !== "delisted" : known.kinds?.includes(kind) === true;
};

/**
 * Returns true if items of the platform can have a change of this field and this kind. An empty
 * string means any field or kind. If they cannot, the service refuses the combination as a filter
 * for a watchlist of the platform.
 */
export const isOnPlatform = (
  platform: string,
  { field, kind }: { readonly field: string; readonly kind: string },
): boolean =>
  Object.entries(changedFields).some(
    ([name, { platforms }]) =>
      (field === "" || field === name) &&
      isFieldOf(name, kind) &&
      (platforms === undefined || platforms.includes(platform)),
  );

/**
 * Returns true if items of every platform can have a change of this field and this kind. An empty
 * string means any field or kind.
 */
export const isEverywhere = (wanted: { readonly field: string; readonly kind: string }): boolean =>
  Object.entries(changedFields).some(
    ([name, { platforms }]) =>
      platforms === undefined &&
      (wanted.field === "" || wanted.field === name) &&
      isFieldOf(name, wanted.kind),
  );
