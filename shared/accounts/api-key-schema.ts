import * as v from "valibot";
import { limits } from "../base/limits.ts";
import { withRefused } from "../base/shown-value.ts";
import { lengthOf, visibleNamePattern, visibleText } from "../base/visible-text.ts";
import { listOf, timestamp } from "../base/wire-schema.ts";

const nameMessage = withRefused(
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
});

/** An API key in API responses. */
export const apiKeySchema = v.object({
  id: v.pipe(v.string(), v.description("Begins with key_.")),
  object: v.literal("api_key"),
  name: v.string(),
  prefix: v.pipe(v.string(), v.description("The first characters of the key.")),
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
