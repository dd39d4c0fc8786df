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
 * The response to a browser that opens an unknown address. Its link works below any path prefix.
 */
const unknownPage = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Page not found · Dashboard</title>
</head>
<body>
<h1>Page not found</h1>
<p>The dashboard has no page at this address. <a href="../dashboard">Open the dashboard</a></p>
</body>
</html>
`;

/**
 * `GET /dashboard/{file}`. Returns a file whose name contains a hash of its content. For
 * `config.json`, returns the settings of this deployment. For an unknown name, returns 404: to a
 * browser that opens the address as a page, a page with a link to the dashboard; to any other
 * client, the error object of the API.
 */
export const fileRoute = route<FileDependencies>({
  async handle({ path, headers }, { demoApiKey }) {
    const name = path["file"] ?? "";
    if (name === "config.json") {
      return publicDocument(
        { demo_api_key: demoApiKey },
        { ...securityHeaders, "Cache-Control": "public, no-cache" },
      );
    }
    const file = files.get(name);
    if (file === undefined) {
      const isPage = headers("accept").some((value) => value.includes("text/html"));
      if (!isPage) throw unknownId("File", name, "Reload the dashboard.");
      return {
        status: 404,
        body: unknownPage,
        headers: {
          ...securityHeaders,
          "Content-Type": "text/html; charset=utf-8",
          "Cache-Control": "no-store",
        },
      };
    }
    return publicDocument(file.text, {
      ...securityHeaders,
      "Content-Type": file.type,
      "Cache-Control": "public, max-age=31536000, immutable",
    });
  },
});
