import * as v from "valibot";
import type { Platform } from "../../../shared/platforms/catalog.ts";
import { itemIdPattern } from "../../../shared/platforms/item-id.ts";
import type { JsonObject } from "../../../tools/documents/json-schema.ts";

/** Returns the schema of an array of 1 to `max` item IDs of a platform. */
export const itemIds = (platform: Platform, max: number, description: string) =>
  v.pipe(
    v.array(v.pipe(v.string(), v.regex(new RegExp(itemIdPattern(platform))))),
    v.minLength(1),
    v.maxLength(max),
    v.description(description),
  );

/**
 * Returns the JSON Schema keywords that check the item IDs of a platform in each of the three forms
 * of a request field:
 * - A string with IDs, separated by newlines or commas: `pattern` checks the string.
 * - An array of strings: `items` checks each string.
 * - An array of objects: `items` checks the `id` of each object.
 */
export function idListRule(platform: Platform): JsonObject {
  const id = itemIdPattern(platform).replaceAll(/^\^|\$$/g, "");
  const pattern = itemIdPattern(platform);
  return {
    items: { pattern, properties: { id: { pattern } } },
    pattern: `^${id}(?:[\\r\\n,]+ *${id})*$`,
  };
}
