/** Response headers by name (specification, section "Errors"). */
export const headers = {
  "X-Request-Id": {
    description: "ID of this call. Quote it when you ask for support.",
    schema: { type: "string", examples: ["req_01kp98cnpev5dpr2m3pkppwh2a"] },
  },
  "X-RateLimit-Limit": {
    description: "Calls per second that this key may make.",
    schema: { type: "integer", examples: [50] },
  },
  "X-RateLimit-Remaining": {
    description: "Calls that the key may still make in the current window.",
    schema: { type: "integer", examples: [49] },
  },
  "X-RateLimit-Reset": {
    description: "Unix time in seconds when the key may make a further call.",
    schema: { type: "integer", examples: [1_794_528_000] },
  },
  "Retry-After": {
    description: "Seconds to wait before the next attempt.",
    schema: { type: "integer", minimum: 0, examples: [1] },
  },
  "X-Service-Credits": {
    description: "Credits that this call cost; 0 for an error.",
    schema: { type: "integer", minimum: 0, examples: [2] },
  },
  "X-Service-Balance": {
    description:
      "Balance of the account after this call. May or may not include calls that run at the same time. " +
      "Absent if the key is unknown or over its rate limit.",
    schema: { type: "integer", minimum: 0, examples: [4_998] },
  },
  Deprecation: {
    description:
      "Time since which the operation, or a field that the call used, is deprecated: Unix seconds after `@`. " +
      "Absent if the call used nothing deprecated.",
    schema: { type: "string", examples: ["@1795392000"] },
  },
  Sunset: {
    description:
      "Time at which the deprecated operation or field stops working. Absent if no time is set.",
    schema: { type: "string", examples: ["Tue, 23 Nov 2027 00:00:00 GMT"] },
  },
  Link: {
    description: "The page about deprecations, with `rel` `deprecation`.",
    schema: {
      type: "string",
      examples: [
        '</docs/api-guide#deprecated-operations-and-fields>; rel="deprecation"; type="text/html"',
      ],
    },
  },
  ETag: {
    description:
      "Version of the document. Send it in `If-None-Match` to get 304 while it is current.",
    schema: { type: "string", examples: ['W/"4Zq0mJr9Xy1c7Qe2tB6nUw"'] },
  },
  "Cache-Control": {
    description: "How long caches may keep the document.",
    schema: { type: "string", examples: ["public, max-age=300"] },
  },
  "Idempotent-Replayed": {
    description:
      "`true` if this is the stored response to an earlier call with the same idempotency key.",
    schema: { type: "string", enum: ["true"] },
  },
} as const;

export type HeaderName = keyof typeof headers;

/** Headers of every response. */
export const commonHeaders: readonly HeaderName[] = [
  "X-Request-Id",
  "X-RateLimit-Limit",
  "X-RateLimit-Remaining",
  "X-RateLimit-Reset",
];

/** Headers of every response to a call that charges per item. */
export const itemHeaders: readonly HeaderName[] = ["X-Service-Credits", "X-Service-Balance"];

/** Returns references to the OpenAPI components of response headers, by header name. */
export const headerRefs = (
  names: readonly HeaderName[],
): Readonly<Record<string, { readonly $ref: string }>> =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
