import { unknownId } from "../../shared/base/errors.ts";
import { publicDocument } from "../http/public-document.ts";
import { route } from "../http/route.ts";
import assets from "./generated/assets.json" with { type: "json" };
import { securityHeaders } from "./security-headers.ts";

export interface FileDependencies {
  /** The API key of the demo workspace; null if the deployment has none. */
  readonly demoApiKey: string | null;
}

const files = new Map(Object.entries(assets.files));

/**
 * `GET /dashboard/{file}`. Returns a file whose name contains a hash of its content. For
 * `config.json`, returns the settings of this deployment.
 */
export const fileRoute = route<FileDependencies>({
  async handle({ path }, { demoApiKey }) {
    const name = path["file"] ?? "";
    if (name === "config.json") {
      return publicDocument(
        { demo_api_key: demoApiKey },
        { ...securityHeaders, "Cache-Control": "public, no-cache" },
      );
    }
    const file = files.get(name);
    if (file === undefined) throw unknownId("File", name, "Reload the dashboard.");
    return publicDocument(file.text, {
      ...securityHeaders,
      "Content-Type": file.type,
      "Cache-Control": "public, max-age=31536000, immutable",
    });
  },
});
