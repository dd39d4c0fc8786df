import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { jsonSchema } from "../../tools/documents/json-schema.ts";
import { exportManifest } from "../published/event-schemas.ts";

/** An operation of the OpenAPI document. */
export interface Operation {
  readonly id: string;
  readonly method: string;
  /** The path, with the names of its parameters in braces. */
  readonly path: string;
  /** True if repeating the call has no further effect and no further charge. */
  readonly isRepeatable: boolean;
  /** True if the operation accepts an idempotency key. */
  readonly isKeyed: boolean;
}

interface DescribedOperation {
  readonly operationId?: string;
  readonly parameters?: readonly { readonly name: string }[];
  readonly "x-repeatable"?: boolean;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> };
  readonly "x-error-codes": Readonly<Record<string, { readonly retryable: boolean }>>;
}

const readDocument = (): Document => JSON.parse(clientDocument()) as Document;

/** The path of the repository, with a slash at the end. */
export const root = fileURLToPath(new URL("../../", import.meta.url));
const source = `${root}functions/meta/generated/openapi.json`;

/** Parts of the document that the generated types do not depend on. */
const samples = new Set(["x-codeSamples", "example", "examples"]);

/** The manifest of an export, which no operation returns. The clients read it from the bucket. */
const manifest = jsonSchema(exportManifest, { direction: "output", named: {} });

/**
 * Returns the input of the client generators as JSON: the OpenAPI document without code samples and
 * examples, but with the manifest of exports.
 */
export function clientDocument(): string {
  const document: Document = JSON.parse(readFileSync(source, "utf8"), (key, value: unknown) =>
    samples.has(key) ? undefined : value,
  );
  const { components } = document;
  const schemas = { ...components.schemas, ExportManifest: manifest };
  return JSON.stringify({ ...document, components: { ...components, schemas } });
}

/** Returns the SHA-256 of the generators' input. Both clients store it beside their types. */
export const documentHash = (): string =>
  createHash("sha256").update(clientDocument()).digest("hex");

/** Returns the operations whose paths begin with `/v1`, in the order of the document. */
export function operationsOf(): readonly Operation[] {
  return Object.entries(readDocument().paths)
    .filter(([path]) => path.startsWith("/v1/"))
    .flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, { operationId: id, parameters, ...operation }]) =>
        id === undefined
          ? []
          : [
              {
                id,
                method: method.toUpperCase(),
                path,
                isRepeatable: operation["x-repeatable"] === true,
                isKeyed: parameters?.some(({ name }) => name === "Idempotency-Key") === true,
              },
            ],
      ),
    );
}

/**
 * Returns in `all` the codes of all errors, and in `retryable` the codes of errors after which the
 * same call can succeed later.
 */
export function errorCodesOf(): Readonly<Record<"all" | "retryable", readonly string[]>> {
  const codes = Object.entries(readDocument()["x-error-codes"]);
  return {
    all: codes.map(([code]) => code),
    retryable: codes.filter(([, { retryable }]) => retryable).map(([code]) => code),
  };
}

/** Returns the version of the service. The packages of both clients have the same version. */
export const serviceVersion = (): string =>
  (JSON.parse(readFileSync(`${root}package.json`, "utf8")) as { version: string }).version;
