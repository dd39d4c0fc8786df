import type { APIGatewayProxyEvent } from "aws-lambda";
import { apiKeyFlaw } from "../../shared/accounts/api-key.ts";
import {
  invalidParam,
  keyMalformed,
  keyMissing,
  type ServiceError,
} from "../../shared/base/errors.ts";
import { headersOf } from "./header.ts";

/** The API key of a call, or the error for a call without a well-formed key. */
export type PresentedKey =
  | { readonly outcome: "key"; readonly key: string }
  | { readonly outcome: "none"; readonly refusal: ServiceError };

/**
 * Returns the API key of a call. Checks the form of the key, not whether it exists. A call may send
 * the key in the header `Authorization`, the header `X-API-Key` or the query parameter `api_key`
 * (specification, section "Authentication"). The outcome is `key` for one well-formed key. The
 * outcome is `none` for a missing or malformed key, or for two different keys. `refusal` is then
 * the error for routes that require a key: 400 for two different keys, otherwise 401. Never throws.
 */
export function presentedKeyOf(event: APIGatewayProxyEvent): PresentedKey {
  const authorization = headersOf(event, "authorization").map((text) => text.trim());
  const bearers = authorization.flatMap((text) => /^Bearer\s+(\S.*)$/i.exec(text)?.[1] ?? []);
  const foundKeys = new Set(
    [
      ...bearers,
      ...headersOf(event, "x-api-key"),
      ...(event.multiValueQueryStringParameters?.["api_key"] ?? []),
      event.queryStringParameters?.["api_key"] ?? "",
    ]
      .map((text) => text.trim())
      .filter((text) => text !== ""),
  );
  const [text] = foundKeys;
  if (foundKeys.size > 1) return { outcome: "none", refusal: conflictingKeys() };
  if (text === undefined) return { outcome: "none", refusal: noKey(authorization) };
  const flaw = apiKeyFlaw(text);
  return flaw === undefined
    ? { outcome: "key", key: text }
    : { outcome: "none", refusal: keyMalformed(flaw) };
}

const conflictingKeys = (): ServiceError =>
  invalidParam("api_key", "The call contains two different API keys. Send only one.");

/**
 * Returns the error for a call without a key. The message quotes no part of the header, because the
 * header may contain a password or a key.
 */
function noKey(authorization: readonly string[]): ServiceError {
  const [scheme = "", ...rest] = (authorization[0] ?? "").split(/\s+/);
  if (scheme === "") return keyMissing();
  if (/^Bearer$/i.test(scheme))
    return keyMalformed("The Authorization header has no key after 'Bearer'.");
  return rest.length === 0
    ? keyMalformed("The Authorization header lacks the word 'Bearer' before the key.")
    : keyMalformed("The Authorization header does not use the scheme 'Bearer'.");
}
