import * as v from "valibot";
import { lenient, validEntries } from "../contract/foreign-value.ts";

/** The part of a store's profile that the adapter uses. */
export interface BusinessProfile {
  readonly version: string;
  /** The addresses of the profiles for other versions, by version. */
  readonly otherVersions: Readonly<Record<string, string>>;
  /** The addresses that accept tool calls, in the store's order. */
  readonly endpoints: readonly string[];
}

const service = v.object({ transport: v.optional(v.string()), endpoint: v.optional(v.string()) });
const services = lenient(v.record(v.string(), lenient(validEntries(service))));

const profileSchema = v.object({
  ucp: v.object({
    version: v.string(),
    supported_versions: v.fallback(v.record(v.string(), v.string()), {}),
    services,
  }),
});

/** Parses the profile that a store publishes. Returns null for any other document. */
export function parseBusinessProfile(body: unknown): BusinessProfile | null {
  const parsed = v.safeParse(profileSchema, body);
  if (!parsed.success) return null;
  const { version, supported_versions: otherVersions, services: offered } = parsed.output.ucp;
  const bindings = offered?.["dev.ucp.shopping"] ?? [];
  return {
    version,
    otherVersions,
    endpoints: bindings.flatMap(({ transport, endpoint }) =>
      transport === "mcp" && endpoint !== undefined ? [endpoint] : [],
    ),
  };
}
