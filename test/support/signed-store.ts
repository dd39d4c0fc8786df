import { createHash, createHmac } from "node:crypto";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";

export interface SignedStore {
  readonly port: number;
  /** The stored objects. Each key is the host and the path of the object, separated by a space. */
  readonly objects: ReadonlyMap<string, Buffer>;
  /** The reasons why requests were rejected, in order. */
  readonly complaints: readonly string[];
  stop(): Promise<void>;
}

const sha256 = (bytes: string | Buffer): string => createHash("sha256").update(bytes).digest("hex");
const hmac = (key: string | Buffer, text: string): Buffer =>
  createHmac("sha256", key).update(text).digest();

/** Encodes all characters except the unreserved characters, as AWS does for signatures. */
const escaped = (text: string): string =>
  [...Buffer.from(text)]
    .map((byte) => {
      const character = String.fromCharCode(byte);
      return /[A-Za-z0-9\-._~]/.test(character)
        ? character
        : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
    })
    .join("");

/**
 * Starts an S3-compatible store that accepts only requests with a valid Signature Version 4. It
 * verifies signatures with code that is independent of the AWS SDK, and rejects headers that only
 * AWS supports.
 */
export async function startSignedStore(known: {
  readonly secretAccessKey: string;
  readonly region: string;
}): Promise<SignedStore> {
  const objects = new Map<string, Buffer>();
  const complaints: string[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { method = "", url = "", headers } = request;
      const body = Buffer.concat(chunks);
      const complaint = complaintOf({ method, url, headers, body }, known);
      if (complaint !== null) {
        complaints.push(complaint);
        const xml = `<Error><Code>SignatureDoesNotMatch</Code><Message>${complaint}</Message></Error>`;
        return response.writeHead(403, { "Content-Type": "application/xml" }).end(xml);
      }
      const name = `${headers.host} ${decodeURIComponent(url.split("?")[0] ?? "")}`;
      if (method === "HEAD") return response.writeHead(objects.has(name) ? 200 : 404).end();
      if (method === "DELETE") {
        objects.delete(name);
        return response.writeHead(204).end();
      }
      objects.set(name, body);
      const digest = createHash("md5").update(body).digest("hex");
      return response.writeHead(200, { ETag: `"${digest}"` }).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    objects,
    complaints,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

type Known = { readonly secretAccessKey: string; readonly region: string };

const complaintOf = (received: Received, known: Known): string | null =>
  headerComplaint(received) ?? signatureComplaint(received, known);

function headerComplaint({ method, headers, body }: Received): string | null {
  const foreign = Object.keys(headers).find((name) => /checksum|trailer|^expect$/.test(name));
  if (foreign !== undefined) return `${foreign} is not known`;
  if (headers["content-encoding"] !== undefined) return "content-encoding is not known";
  if (headers["x-amz-content-sha256"] !== sha256(body)) return "the body was not signed";
  const md5 = createHash("md5").update(body).digest("base64");
  if (method === "PUT" && headers["content-md5"] !== md5) return "content-md5 is wrong";
  return null;
}

function signatureComplaint(
  { method, url, headers, body }: Received,
  { secretAccessKey, region }: Known,
): string | null {
  const [, scope = "", signedHeaders = "", signature = ""] =
    /Credential=[^/]+\/([^,]+), SignedHeaders=([^,]+), Signature=(\w+)/.exec(
      headers.authorization ?? "",
    ) ?? [];
  const date = String(headers["x-amz-date"]);
  if (scope !== `${date.slice(0, 8)}/${region}/s3/aws4_request`) return `the scope is ${scope}`;
  const names = signedHeaders.split(";");
  if (!names.includes("host")) return "the host was not signed";
  const [path = "", query = ""] = url.split("?");
  const canonical = [
    method,
    path
      .split("/")
      .map((segment) => escaped(decodeURIComponent(segment)))
      .join("/"),
    query.split("&").filter(Boolean).sort().join("&"),
    ...names.map((name) => `${name}:${String(headers[name]).trim()}`),
    "",
    signedHeaders,
    sha256(body),
  ].join("\n");
  const toSign = ["AWS4-HMAC-SHA256", date, scope, sha256(canonical)].join("\n");
  const key = [date.slice(0, 8), region, "s3", "aws4_request"].reduce<string | Buffer>(
    hmac,
    `AWS4${secretAccessKey}`,
  );
  return hmac(key, toSign).toString("hex") === signature ? null : "the signature does not match";
}
