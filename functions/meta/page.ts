import { readFile } from "node:fs/promises";
import { type ServiceError, unknownId } from "../../shared/base/errors.ts";
import { publicDocument } from "../http/public-document.ts";
import { type AnyRoute, type Reply, route } from "../http/route.ts";

/** Folder that `npm run openapi` writes, and that the deployment copies beside the bundled code. */
const folder = new URL("generated/", import.meta.url);

/**
 * Returns the Content-Security-Policy of a page. The page may load files only from this service,
 * and send requests only to it. Only the page of the API reference allows inline styles, because
 * the renderer of this page adds them.
 * @param styles value of `style-src`
 */
const contentSecurityPolicy = (styles: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src ${styles}`,
    "img-src 'self' data:",
    "font-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");

const types: Readonly<Record<string, string>> = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  json: "application/json",
};

/** `GET /docs`: the index of the pages. */
export const indexRoute: AnyRoute<unknown> = route({ handle: () => page("index") });

/** `GET /docs/{page}`: one page of the documentation. */
export const pageRoute: AnyRoute<unknown> = route({
  handle: async ({ path }) => {
    const name = path["page"] ?? "";
    if (!/^[a-z0-9-]+$/.test(name) || name === "index") throw noPage(name);
    return page(name);
  },
});

/** `GET /docs/assets/{file}`: a file whose name contains a digest of its content. */
export const assetRoute: AnyRoute<unknown> = route({
  async handle({ path }) {
    const name = path["file"] ?? "";
    const [, suffix = ""] = /^[\w-]+\.(js|css|json)$/.exec(name) ?? [];
    const type = types[suffix];
    if (type === undefined) throw noFile(name);
    return readStoredFile(`assets/${name}.br`, noFile(name), {
      "Content-Type": type,
      "Cache-Control": "public, max-age=31536000, immutable",
    });
  },
});

const noPage = (name: string): ServiceError =>
  unknownId("Page", name, "GET /docs lists the pages.");

const noFile = (name: string): ServiceError =>
  unknownId("File", name, "Reload the page that refers to the file.");

const page = (name: string): Promise<Reply> =>
  readStoredFile(`pages/${name}.html.br`, noPage(name), {
    "Content-Type": "text/html; charset=utf-8",
    "Content-Security-Policy": contentSecurityPolicy(
      name === "reference" ? "'self' 'unsafe-inline'" : "'self'",
    ),
    "Referrer-Policy": "no-referrer",
  });

/**
 * Reads a file in the generated folder, which is stored compressed with brotli.
 * @throws `missing` if the file does not exist
 */
async function readStoredFile(
  path: string,
  missing: ServiceError,
  headers: Readonly<Record<string, string>>,
): Promise<Reply> {
  const bytes = await readFile(new URL(path, folder)).catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") throw missing;
    throw error;
  });
  return publicDocument(bytes, { "Content-Encoding": "br", ...headers });
}
