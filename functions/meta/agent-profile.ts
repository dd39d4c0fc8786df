import { unknownId } from "../../shared/base/errors.ts";
import {
  agentProfile,
  isProtocolVersion,
  protocolVersions,
} from "../../shared/sources/storefront/agent-profile.ts";
import { publicDocument } from "../http/public-document.ts";
import { type AnyRoute, route } from "../http/route.ts";

/**
 * `GET /v1/agent_profiles/{version}`. Stores read the document to learn which version and which
 * capabilities of the catalog protocol the service uses.
 */
export const agentProfileRoute: AnyRoute<unknown> = route({
  async handle({ path }) {
    const version = path["version"] ?? "";
    if (!isProtocolVersion(version)) {
      throw unknownId("Agent profile", version, `Use one of ${protocolVersions.join(", ")}.`);
    }
    return publicDocument(agentProfile(version));
  },
});
