/**
 * Structured-data endpoints (specification, section "Structured-data endpoints"). All of them are
 * announced, but none is available yet.
 */
import * as v from "valibot";
import { notImplemented, type ServiceError, unknownId } from "../base/errors.ts";
import type { Platform } from "./catalog.ts";

interface Parameter {
  readonly name: string;
  readonly type: "string" | "integer";
  readonly required: boolean;
  readonly minimum?: number;
  readonly maximum?: number;
}

const text = (name: string, required = false): Parameter => ({ name, type: "string", required });
const whole = (name: string, minimum: number, maximum: number): Parameter => ({
  name,
  type: "integer",
  required: false,
  minimum,
  maximum,
});

const page = whole("page", 1, 100);
const place = [text("country"), text("language")];

const platformNames: readonly Platform[] = ["retailer_a", "retailer_b", "retailer_c", "retailer_d"];
const kindNames = ["search", "product", "reviews", "category"] as const;
type Kind = (typeof kindNames)[number];

const parametersOf: Readonly<Record<Kind, (platform: Platform) => readonly Parameter[]>> = {
  search: () => [text("query", true), page, whole("num", 10, 100), ...place],
  product: (platform) => [text(idOf(platform), true), ...place],
  reviews: (platform) => [text(idOf(platform), true), page, ...place],
  category: () => [text("query", true), page, whole("num", 10, 100), ...place],
};

/**
 * Returns the name of the parameter that contains the item ID: `item_id` on retailer_b,
 * `product_id` elsewhere.
 */
const idOf = (platform: Platform): string => (platform === "retailer_b" ? "item_id" : "product_id");

/** Price of one call in credits, whatever the result. */
const structuredCredits = 5;

const parameterSchema = v.object({
  name: v.string(),
  type: v.string(),
  required: v.boolean(),
  minimum: v.optional(v.number()),
  maximum: v.optional(v.number()),
});

const structuredEndpointSchema = v.pipe(
  v.object({
    id: v.pipe(v.string(), v.examples(["retailer_a.search"])),
    object: v.literal("structured_endpoint"),
    path: v.pipe(v.string(), v.examples(["/v1/structured/retailer_a/search"])),
    methods: v.array(v.string()),
    platform: v.string(),
    kind: v.string(),
    status: v.pipe(
      v.picklist(["live", "coming_soon"]),
      v.description("A call to a coming_soon endpoint returns 501."),
    ),
    credits_per_call: v.number(),
    parameters: v.array(parameterSchema),
  }),
  v.title("StructuredEndpoint"),
);

/** Response 200 of `GET /v1/structured`. */
export const structuredResponse = v.object({
  object: v.literal("list"),
  data: v.array(structuredEndpointSchema),
});

/** Returns all structured-data endpoints in their form in API responses. */
export const presentStructured = (): v.InferOutput<typeof structuredResponse> => ({
  object: "list",
  data: platformNames.flatMap((platform) =>
    kindNames.map((kind) => ({
      id: `${platform}.${kind}`,
      object: "structured_endpoint" as const,
      path: `/v1/structured/${platform}/${kind}`,
      methods: ["GET", "POST"],
      platform,
      kind,
      status: "coming_soon" as const,
      credits_per_call: structuredCredits,
      parameters: [...parametersOf[kind](platform)],
    })),
  ),
});

/**
 * Returns the error for a call to a structured-data endpoint: 501 for an endpoint that is
 * announced, but not yet available, otherwise 404.
 * @param platform The platform in the path, which may be unknown.
 * @param kind The kind of data in the path, which may be unknown.
 */
export function structuredError(platform: string, kind: string): ServiceError {
  return includes(platformNames, platform) && includes(kindNames, kind)
    ? notImplemented(`The structured endpoint ${platform}/${kind}`)
    : unknownId(
        "Structured endpoint",
        `${platform}/${kind}`,
        "List the endpoints with GET /v1/structured.",
      );
}

const includes = (names: readonly string[], name: string): boolean => names.includes(name);
