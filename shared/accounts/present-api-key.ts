import type { InferOutput } from "valibot";
import type { apiKeySchema } from "./api-key-schema.ts";
import type { ApiKey } from "./api-key-store.ts";

/** Converts an API key to its form in API responses, without the secret. */
export const presentApiKey = (key: ApiKey): InferOutput<typeof apiKeySchema> => ({
  id: key.id,
  object: "api_key",
  name: key.name,
  prefix: key.prefix,
  scopes: [...key.scopes],
  created_at: key.createdAt,
  last_used_at: key.lastUsedAt,
});
