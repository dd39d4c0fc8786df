import type { Clock } from "../../base/clock.ts";
import { jsonOf, statusOf } from "../contract/reply-json.ts";
import type { SourceClient, SourceReply } from "../http/source-client.ts";
import { type ProtocolVersion, protocolVersions, versionPlaceholder } from "./agent-profile.ts";
import { type BusinessProfile, parseBusinessProfile } from "./business-profile.ts";

/** Where and how to call a store. */
export interface Endpoint {
  readonly url: URL;
  /** Address of the agent profile that the call must contain. */
  readonly profile: string;
}

/** The address of a store, and the agent profile for its calls. */
export interface StoreOptions {
  /** The store's address. */
  readonly baseUrl: string;
  /**
   * The path that accepts tool calls. If it is absent, the adapter reads the path from the store's
   * own profile.
   */
  readonly endpointPath?: string | undefined;
  /** The address of the agent profile. May contain `{version}`. */
  readonly profileUrl: string;
}

export interface StoreDependencies {
  readonly client: SourceClient;
  readonly clock: Clock;
  /** Receives warnings for the operator. They contain no data from replies. */
  readonly note?: ((problem: string) => void) | undefined;
}

/** Finds a store's endpoint, and a version of the protocol that both sides support. */
export interface EndpointFinder {
  /**
   * Returns the endpoint; null if there is no common version. All calls within an hour share one
   * request.
   */
  find(deadline: Date): Promise<Endpoint | null>;
  /**
   * Records that the store refused the version of an endpoint. Returns true if `find` now returns
   * an older version.
   */
  refuseVersion(endpoint: Endpoint): boolean;
}

/** The path of tool calls on stores whose profile has no other path. */
const pathDefault = "/api/ucp/mcp";
const wellKnownPath = "/.well-known/ucp";
const freshMs = 60 * 60 * 1_000;
/** Milliseconds after a failure during which reads do not request the profile again. */
const failedFreshMs = 60 * 1_000;
/** Maximum part of a read's time that the search for the endpoint may take, in milliseconds. */
const discoveryMsMax = 10_000;

/** The discovered endpoint of a store, with the profiles that it may accept. */
interface DiscoveredEndpoint {
  readonly url: URL;
  /** Addresses of agent profiles to try, newest version first. */
  readonly profiles: readonly string[];
  /** False after a temporary failure: the search for the endpoint is repeated after a minute. */
  readonly isFinal: boolean;
}

/**
 * Creates a finder of the address of a store's tools. If the options do not set the path, the
 * finder requests the store's business profile at its first call, and caches the result for an
 * hour, or for a minute after a failure.
 */
export function endpointFinder(
  options: StoreOptions,
  dependencies: StoreDependencies,
): EndpointFinder {
  const { clock, note } = dependencies;
  const refused = new Set<string>();
  let known: DiscoveredEndpoint | undefined;
  let staleAt = -Infinity;
  let searching: Promise<DiscoveredEndpoint> | undefined;

  async function findOnce(deadline: Date): Promise<DiscoveredEndpoint> {
    const now = clock.now().getTime();
    if (known !== undefined && now < staleAt) return known;
    searching ??= discover(deadline, options, dependencies)
      .then((result) => {
        known = result;
        staleAt = clock.now().getTime() + (result.isFinal ? freshMs : failedFreshMs);
        refused.clear();
        return result;
      })
      .finally(() => (searching = undefined));
    return searching;
  }

  return {
    async find(deadline) {
      const { url, profiles } = await findOnce(deadline);
      const profile = profiles.find((one) => !refused.has(one));
      if (profile !== undefined) return { url, profile };
      note?.(
        `storefront: the store supports none of the protocol versions ${protocolVersions.join(", ")}; configure another adapter`,
      );
      return null;
    },
    refuseVersion({ profile }) {
      refused.add(profile);
      return known?.profiles.some((one) => !refused.has(one)) === true;
    },
  };
}

/**
 * Returns the addresses of the profiles for these versions. A profile at a fixed address declares
 * only one version.
 */
function profilesFor(versions: readonly ProtocolVersion[], profileUrl: string): string[] {
  if (!profileUrl.includes(versionPlaceholder)) return [profileUrl];
  return versions.map((version) => profileUrl.replace(versionPlaceholder, version));
}

/** Finds the endpoint of a store: from the options, or otherwise from the store's profile. */
async function discover(
  deadline: Date,
  options: StoreOptions,
  dependencies: StoreDependencies,
): Promise<DiscoveredEndpoint> {
  const { baseUrl, endpointPath, profileUrl } = options;
  const all = profilesFor(protocolVersions, profileUrl);
  const assumed = new URL(endpointPath ?? pathDefault, baseUrl);
  if (endpointPath !== undefined) return { url: assumed, profiles: all, isFinal: true };
  const until = earlier(deadline, dependencies.clock.now().getTime() + discoveryMsMax);
  const site = { origin: assumed.origin, until, ...dependencies };
  const reply = await profileAt(new URL(wellKnownPath, baseUrl), site);
  // A store need not publish a profile. The adapter then tries all versions, because the store
  // refuses a call with a wrong version.
  if (reply.profile === null) {
    return { url: assumed, profiles: all, isFinal: isDefinite(reply.status) };
  }
  const { profile, versions } = await newestCommon(reply.profile, site);
  const profiles = profilesFor(versions, profileUrl);
  return { url: endpointOf(profile, assumed, dependencies), profiles, isFinal: true };
}

const earlier = (deadline: Date, atMs: number): Date =>
  new Date(Math.min(deadline.getTime(), atMs));

/** Returns true if a repeated request would probably get the same status again. */
const isDefinite = (status: number | undefined): boolean =>
  status !== undefined && status < 500 && status !== 429;

interface Site extends StoreDependencies {
  /** The only origin from which profiles are read. */
  readonly origin: string;
  readonly until: Date;
}

interface ProfileReply {
  readonly profile: BusinessProfile | null;
  readonly status: number | undefined;
}

/** Requests a profile. The profile is null if the response has none. */
async function profileAt(url: URL, { client, until }: Site): Promise<ProfileReply> {
  const headers = { Accept: "application/json" };
  const reply: SourceReply = await client.send({ method: "GET", url, headers }, until);
  const status = statusOf(reply);
  return { status, profile: status === 200 ? parseBusinessProfile(jsonOf(reply)) : null };
}

interface Common {
  readonly profile: BusinessProfile;
  /** The versions that both sides support, newest first. */
  readonly versions: readonly ProtocolVersion[];
}

/**
 * Chooses the newest version that both sides support. If the store describes this version in
 * another document of its host, reads that document, which may contain another endpoint. If that
 * document declares another version, the document is not used, and the chosen version counts as not
 * supported.
 */
async function newestCommon(profile: BusinessProfile, site: Site): Promise<Common> {
  const { version: current, otherVersions } = profile;
  const common = protocolVersions.filter(
    (version) => version === current || Object.hasOwn(otherVersions, version),
  );
  for (const [index, version] of common.entries()) {
    const versions = common.slice(index);
    if (version === current) return { profile, versions };
    const address = otherVersions[version] ?? "";
    const url = URL.canParse(address) ? new URL(address) : undefined;
    const own = url?.origin === site.origin ? (await profileAt(url, site)).profile : null;
    if (own === null) return { profile, versions };
    if (own.version === version) return { profile: own, versions };
  }
  return { profile, versions: [] };
}

/**
 * Returns the store's endpoint for tool calls. Ignores an endpoint on another host, because only
 * the configured host may receive calls.
 */
function endpointOf(
  { endpoints }: BusinessProfile,
  assumed: URL,
  { note }: StoreDependencies,
): URL {
  const urls = endpoints.flatMap((address) => (URL.canParse(address) ? [new URL(address)] : []));
  const own = urls.find(({ origin }) => origin === assumed.origin);
  if (own === undefined && urls.length > 0) {
    note?.(
      `storefront: the store names an endpoint on another host, so the adapter calls ${pathDefault} on the configured host; check baseUrl`,
    );
  }
  return own ?? assumed;
}
