import { createHash, createHmac } from "node:crypto";
import type { ExportStore } from "./exports.ts";

export interface S3StoreOptions {
  readonly bucket: string;
  /**
   * The region of the bucket. Default: the environment variable `AWS_REGION`, otherwise
   * `us-east-1`.
   */
  readonly region?: string;
  /** The address of a store other than AWS. */
  readonly endpoint?: string;
  /** The access key. Default: the environment variable `AWS_ACCESS_KEY_ID`. */
  readonly accessKeyId?: string;
  /** The secret of the access key. Default: the environment variable `AWS_SECRET_ACCESS_KEY`. */
  readonly secretAccessKey?: string;
  /**
   * The session token of temporary credentials. Default: the environment variable
   * `AWS_SESSION_TOKEN`.
   */
  readonly sessionToken?: string;
}

/**
 * Creates a store that reads an export from a bucket of S3 or of a compatible service. Its reads
 * reject if the store returns an error, or if the credentials are missing.
 */
export function s3Store(options: S3StoreOptions): ExportStore {
  const base = options.endpoint ?? `https://s3.${regionOf(options)}.amazonaws.com`;
  const get = async (key: string, query: Readonly<Record<string, string>>): Promise<Uint8Array> => {
    const path = `/${[options.bucket, ...key.split("/")].map(encoded).join("/")}`;
    const search = Object.entries(query)
      .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
      .sort()
      .join("&");
    const headers = signedHeaders({ host: new URL(base).host, path, search }, options);
    const url = `${base.replace(/\/+$/, "")}${path}${search === "" ? "" : `?${search}`}`;
    const response = await fetch(url, { headers, signal: AbortSignal.timeout(60_000) });
    if (!response.ok) {
      const xml = await response.text();
      const reason = [...textsOf(xml, "Code"), ...textsOf(xml, "Message")].join(": ");
      throw new Error(
        `The store returned HTTP status ${response.status} for ${url}${reason === "" ? "" : `: ${reason}`}. Check the bucket, the endpoint and the credentials.`,
      );
    }
    return new Uint8Array(await response.arrayBuffer());
  };
  return {
    async *keys(prefix) {
      for (let token: string | undefined = ""; token !== undefined;) {
        const page = { "list-type": "2", prefix, ...(token && { "continuation-token": token }) };
        const xml = Buffer.from(await get("", page)).toString();
        yield* textsOf(xml, "Key");
        [token] = textsOf(xml, "NextContinuationToken");
      }
    },
    read: (key) => get(key, {}),
  };
}

const regionOf = ({ region }: S3StoreOptions): string =>
  region ?? process.env["AWS_REGION"] ?? "us-east-1";

const encoded = (text: string): string =>
  encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"' };

const textsOf = (xml: string, tag: string): string[] =>
  [...xml.matchAll(new RegExp(`<${tag}>([^<]*)</${tag}>`, "g"))].map(([, text = ""]) =>
    text
      .replaceAll(/&#(x?)([0-9a-f]+);/gi, (_, hex: string, code: string) =>
        String.fromCodePoint(Number.parseInt(code, hex === "" ? 10 : 16)),
      )
      .replaceAll(/&(amp|lt|gt|quot);/g, (_, name: string) => entities[name] ?? ""),
  );

const hmac = (key: string | Buffer, text: string): Buffer =>
  createHmac("sha256", key).update(text).digest();
const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

/**
 * Returns the headers of a GET request, with its signature (AWS Signature Version 4).
 * @throws TypeError if there is no access key
 */
function signedHeaders(
  { host, path, search }: Readonly<Record<"host" | "path" | "search", string>>,
  options: S3StoreOptions,
): Record<string, string> {
  const id = options.accessKeyId ?? process.env["AWS_ACCESS_KEY_ID"];
  const secret = options.secretAccessKey ?? process.env["AWS_SECRET_ACCESS_KEY"];
  if (id === undefined || secret === undefined)
    throw new TypeError(
      "The access key for S3 is missing. Set the variables AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.",
    );
  const token = options.sessionToken ?? process.env["AWS_SESSION_TOKEN"];
  const time = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, "");
  const headers: Record<string, string> = {
    "x-amz-content-sha256": sha256(""),
    "x-amz-date": time,
    ...(token && { "x-amz-security-token": token }),
  };
  const signed = Object.entries({ host, ...headers });
  const names = signed.map(([name]) => name).join(";");
  const lines = signed.map(([name, value]) => `${name}:${value}\n`).join("");
  const request = ["GET", path, search, lines, names, sha256("")].join("\n");
  const scope = [time.slice(0, 8), regionOf(options), "s3", "aws4_request"];
  const key = scope.reduce<string | Buffer>(hmac, `AWS4${secret}`);
  const text = ["AWS4-HMAC-SHA256", time, scope.join("/"), sha256(request)].join("\n");
  const signature = hmac(key, text).toString("hex");
  const credential = `${id}/${scope.join("/")}`;
  return {
    ...headers,
    authorization: `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=${names}, Signature=${signature}`,
  };
}
