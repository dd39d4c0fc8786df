import { isLoopbackHost } from "../../../shared/base/loopback.ts";
import { violationsOf } from "./official-schemas.ts";

/** The result of reading an agent profile. */
export type ReadProfile =
  | { readonly version: string }
  /** The protocol's name of the problem. */
  | { readonly problem: "invalid_profile_url" | "profile_unreachable" | "profile_malformed" };

const timeoutMs = 5_000;
/**
 * How long this store reuses a profile, in milliseconds: the shortest time that the protocol
 * allows.
 */
const freshMs = 60_000;

/** Creates a reader of agent profiles, which reuses a valid profile for a minute. */
export function profileReader(): (address: string) => Promise<ReadProfile> {
  const known = new Map<string, { readonly until: number; readonly profile: ReadProfile }>();
  return async (address) => {
    const cached = known.get(address);
    if (cached !== undefined && Date.now() < cached.until) return cached.profile;
    const profile = await readProfile(address);
    if ("version" in profile) known.set(address, { until: Date.now() + freshMs, profile });
    return profile;
  };
}

/**
 * Reads an agent profile under the conditions of the protocol: over HTTPS or from this machine, and
 * without redirects. Accepts the profile only if it matches the official schema.
 */
async function readProfile(address: string): Promise<ReadProfile> {
  if (!isAllowed(address)) return { problem: "invalid_profile_url" };
  let profile: unknown;
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const response = await fetch(address, { redirect: "manual", signal });
    if (response.status !== 200) return { problem: "profile_unreachable" };
    profile = await response.json();
  } catch {
    return { problem: "profile_unreachable" };
  }
  if (violationsOf("agentProfile", profile).length > 0) return { problem: "profile_malformed" };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the schema requires it
  return { version: (profile as { readonly ucp: { readonly version: string } }).ucp.version };
}

function isAllowed(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname } = new URL(address);
  return protocol === "https:" || isLoopbackHost(hostname);
}
