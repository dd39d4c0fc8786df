import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** An operation of the OpenAPI document. */
export interface Operation {
  readonly id: string;
  readonly method: string;
  /** The path, with the names of its parameters in braces. */
  readonly path: string;
}

interface Document {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly operationId?: string }>>>
  >;
}

export const root = fileURLToPath(new URL("../../", import.meta.url));
const source = `${root}functions/meta/generated/openapi.json`;

/** Parts of the document that the generated types do not depend on. */
const samples = new Set(["x-codeSamples", "example", "examples"]);

/** Returns the OpenAPI document without code samples and examples: the input of the generators. */
export const clientDocument = (): string =>
  JSON.stringify(
    JSON.parse(readFileSync(source, "utf8"), (key, value: unknown) =>
      samples.has(key) ? undefined : value,
    ),
  );

/** Returns the SHA-256 of the generators' input. Both clients store it beside their types. */
export const documentHash = (): string =>
  createHash("sha256").update(clientDocument()).digest("hex");

/** Returns the operations below `/v1`, in the order of the document. */
export function operationsOf(): readonly Operation[] {
  const { paths } = JSON.parse(clientDocument()) as Document;
  return Object.entries(paths)
    .filter(([path]) => path.startsWith("/v1/"))
    .flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, { operationId: id }]) =>
        id === undefined ? [] : [{ id, method: method.toUpperCase(), path }],
      ),
    );
}

/** Returns the version of the service, which both packages have too. */
export const serviceVersion = (): string =>
  (JSON.parse(readFileSync(`${root}package.json`, "utf8")) as { version: string }).version;
