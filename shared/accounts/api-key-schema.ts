import * as v from "valibot";
import { addRefusedValue } from "../base/shown-value.ts";
import { limits } from "../base/limits.ts";
import { lengthOf, visibleNamePattern, visibleText } from "../base/visible-text.ts";
import { oneOf } from "../base/valid-values.ts";
import { listOf, timestamp } from "../base/wire-schema.ts";
import { scopes } from "./scopes.ts";

const nameMessage = addRefusedValue(
  `'name' must be a string of 1 to ${limits.apiKeyNameLengthMax} characters.`,
);

/** Body of `POST /v1/api_keys`. */
export const newApiKeyBody = v.object({
  name: v.pipe(
    v.string(nameMessage),
    v.trim(),
    v.minLength(1, nameMessage),
    v.check((name) => lengthOf(name) <= limits.apiKeyNameLengthMax, nameMessage),
    visibleText("name"),
    v.metadata({ maxLength: limits.apiKeyNameLengthMax, pattern: visibleNamePattern }),
    v.description("Name of the key, shown in lists."),
  ),
  scopes: v.optional(
    v.pipe(
      v.array(
        oneOf("scopes", scopes),
        addRefusedValue(`'scopes' must be an array with at least one of: ${scopes.join(", ")}.`),
      ),
      v.minLength(1, `'scopes' must be an array with at least one of: ${scopes.join(", ")}.`),
      // Sorts the scopes in the order of `scopes`, and removes duplicates.
      v.transform((wanted) => scopes.filter((scope) => wanted.includes(scope))),
      v.description(
        "What calls with the key may do: `read` shows data, `spend` charges credits, `write` creates, " +
          "changes and deletes. Default: all three. A key can only create keys with its own scopes.",
      ),
    ),
    [...scopes],
  ),
});

/** An API key in API responses. */
export const apiKeySchema = v.object({
  id: v.pipe(v.string(), v.description("Begins with key_.")),
  object: v.literal("api_key"),
  name: v.string(),
  prefix: v.pipe(v.string(), v.description("The first characters of the key.")),
  scopes: v.pipe(v.array(v.picklist(scopes)), v.description("What calls with the key may do.")),
  created_at: timestamp,
  last_used_at: v.nullable(
    v.pipe(timestamp, v.description("Time of the last admitted call. Null before the first call.")),
  ),
});

/** Response 200 of `GET /v1/api_keys`, oldest key first. */
export const apiKeysResponse = listOf(apiKeySchema);

/** Response 201 of `POST /v1/api_keys`. */
export const apiKeyWithKeySchema = v.object({
  ...apiKeySchema.entries,
  key: v.pipe(v.string(), v.description("The complete key. No later response contains it.")),
});

/** Response 200 of `DELETE /v1/api_keys/{id}`. */
export const apiKeyDeletedResponse = v.object({
  id: v.string(),
  object: v.literal("api_key"),
  deleted: v.literal(true),
});
