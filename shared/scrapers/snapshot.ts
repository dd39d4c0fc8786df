import type { FieldValue, ScraperId, scrapers, Snapshot } from "./catalogue.ts";
import type { ProductFields } from "./scraper.ts";

type Path = readonly string[];
type TrackedField<Id extends ScraperId> = (typeof scrapers)[Id]["trackedFields"][number];

/** Where each tracked field stands in a result; a snapshot's key is the field's own name. */
const paths: { readonly [Id in ScraperId]: Readonly<Record<TrackedField<Id>, Path>> } = {
  "retailer_d.standard": {
    price: ["price", "amount"],
    inStock: ["availability", "inStock"],
    state: ["retailer_d", "state"],
    regularPrice: ["retailer_d", "regularPrice"],
    purchasable: ["retailer_d", "purchasable"],
  },
};

/**
 * The tracked fields of a read. A field that the read does not show is absent (not observed); where
 * the field or what holds it is null, null is the value.
 */
export function snapshotOf(scraper: ScraperId, fields: ProductFields): Snapshot {
  const snapshot: Record<string, FieldValue> = {};
  for (const [field, path] of Object.entries<Path>(paths[scraper])) {
    const value = valueAt(fields, path);
    if (isFieldValue(value)) snapshot[field] = value;
  }
  return snapshot;
}

function valueAt(fields: ProductFields, path: Path): unknown {
  let value: unknown = fields;
  for (const key of path) {
    if (value === null) return null;
    value = isRecord(value) ? value[key] : undefined;
  }
  return value;
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isFieldValue = (value: unknown): value is FieldValue =>
  value === null || ["string", "number", "boolean"].includes(typeof value);
