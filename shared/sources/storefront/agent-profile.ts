/**
 * The agent profile of the service: a public document for stores. The document contains the version
 * and the capabilities of the catalog protocol that the service uses. A profile declares one
 * version, so there is one document for each version.
 */

/** The versions of the protocol that the adapter can read, newest first. */
export const protocolVersions = ["2026-08-25", "2026-04-08"] as const;
export type ProtocolVersion = (typeof protocolVersions)[number];

/** Returns true for a version of the Universal Commerce Protocol that the adapter supports. */
export const isProtocolVersion = (text: string): text is ProtocolVersion =>
  protocolVersions.some((version) => version === text);

/** The part of a profile's address that the adapter replaces with the version. */
export const versionPlaceholder = "{version}";

/** The path of the profiles below the base URL of the service. */
export const agentProfilePath = `v1/agent_profiles/${versionPlaceholder}`;

const site = "https://ucp.dev";

/** The folder of the catalog's pages in the documentation of each version. */
const catalogFolders: Readonly<Record<ProtocolVersion, string>> = {
  "2026-08-25": "shopping/catalog",
  "2026-04-08": "catalog",
};

/**
 * Returns the agent profile of this service for one version of the Universal Commerce Protocol. The
 * profile declares that the service reads and searches catalogs, and that it makes no payments.
 */
export function agentProfile(version: ProtocolVersion): object {
  const release = `${site}/${version}`;
  const capability = (name: "lookup" | "search"): object[] => [
    {
      version,
      spec: `${release}/specification/${catalogFolders[version]}/${name}`,
      schema: `${release}/schemas/shopping/catalog_${name}.json`,
    },
  ];
  return {
    ucp: {
      version,
      services: {
        "dev.ucp.shopping": [
          {
            version,
            spec: `${release}/specification/overview`,
            transport: "mcp",
            schema: `${release}/services/shopping/mcp.openrpc.json`,
          },
        ],
      },
      capabilities: {
        "dev.ucp.shopping.catalog.lookup": capability("lookup"),
        "dev.ucp.shopping.catalog.search": capability("search"),
      },
      payment_handlers: {},
    },
  };
}
