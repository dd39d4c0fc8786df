import {
  agentProfile,
  isProtocolVersion,
} from "../../../shared/sources/storefront/agent-profile.ts";
import { type LocalServer, serveFrom } from "../../local/local-server.ts";

/** A server of agent profiles, for callers that are not the service. */
export interface ProfileServer extends LocalServer {
  /** The address of the profiles, with `{version}`. */
  readonly profileUrl: string;
}

/**
 * Starts a server on loopback with the agent profiles of the service, for a store on this machine.
 */
export async function startProfileServer(): Promise<ProfileServer> {
  const server = await serveFrom(0, (request, response) => {
    const version = (request.url ?? "").slice(1);
    if (!isProtocolVersion(version)) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, {
      "Content-Type": "application/json",
      "Cache-Control": "public, max-age=300",
    });
    response.end(JSON.stringify(agentProfile(version)));
  });
  return { ...server, profileUrl: `${server.url}/{version}` };
}
