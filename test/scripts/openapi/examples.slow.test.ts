import { execFileSync } from "node:child_process";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { transformSync } from "esbuild";
import { describe, expect, it } from "vitest";
import { openApiDocument } from "../../../scripts/openapi/document.ts";

interface Media {
  readonly schema?: object;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}
interface Content {
  readonly content?: Readonly<Record<string, Media>>;
  readonly $ref?: string;
}
interface Parameter {
  readonly name: string;
  readonly description?: string;
  readonly schema: object;
  readonly example?: unknown;
}
interface Operation {
  readonly operationId: string;
  readonly summary?: string;
  readonly description?: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Content>>;
  readonly "x-codeSamples"?: readonly { readonly label: string; readonly source: string }[];
}
type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;
interface Document {
  readonly paths: Paths;
  readonly webhooks: Paths;
  readonly components: { readonly responses: Readonly<Record<string, Content>> };
}

const document = JSON.parse(JSON.stringify(openApiDocument())) as Document;
const operationsOf = (paths: Paths) =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      key: `${method.toUpperCase()} ${path}`,
      operation,
    })),
  );
const calls = operationsOf(document.paths);
const events = operationsOf(document.webhooks);

const ajv = new Ajv2020({ strict: false });
addFormats.default(ajv);
ajv.addSchema(document, "document");

/** Checks an example against a schema of the document. Returns the errors; null if it is valid. */
function errorsOf(schema: object, example: unknown): unknown {
  const text = JSON.stringify(schema).replaceAll('"$ref":"#/', '"$ref":"document#/');
  const isValid = ajv.compile(JSON.parse(text) as object);
  return isValid(example) ? null : isValid.errors;
}

const jsonOf = ({ content, $ref }: Content): Media | undefined => {
  const shared = document.components.responses[$ref?.split("/").at(-1) ?? ""];
  return (content ?? shared?.content)?.["application/json"];
};

const examplesOf = ({ example, examples = {} }: Media): readonly unknown[] => [
  ...(example === undefined ? [] : [example]),
  ...Object.values(examples).map(({ value }) => value),
];

describe("every operation and webhook of the OpenAPI document", () => {
  it.each([...calls, ...events])(
    "with the key $key has a summary, a description, and a description of each parameter",
    ({ operation }) => {
      expect(operation.summary).toMatch(/\w/);
      expect(operation.description).toMatch(/\w/);
      for (const { name, description } of operation.parameters ?? []) {
        expect(description, name).toMatch(/\w/);
      }
    },
  );

  it.each([...calls, ...events])(
    "with the key $key has examples that its schemas accept",
    ({ operation }) => {
      const bodies = [
        ["request", operation.requestBody ?? {}] as const,
        ...Object.entries(operation.responses),
      ];
      for (const [where, body] of bodies) {
        const media = jsonOf(body);
        if (
          media?.schema === undefined ||
          !("$ref" in media.schema || "properties" in media.schema)
        ) {
          continue;
        }
        const examples = examplesOf(media);
        expect(examples.length, `${where} has no example`).toBeGreaterThan(0);
        for (const example of examples) expect(errorsOf(media.schema, example), where).toBeNull();
      }
      for (const { name, schema, example } of operation.parameters ?? []) {
        if (example !== undefined) expect(errorsOf(schema, example), name).toBeNull();
      }
    },
  );
});

describe("the code samples of every operation", () => {
  const samples = calls.flatMap(({ key, operation }) =>
    (operation["x-codeSamples"] ?? []).map(({ label, source }) => ({ key, label, source })),
  );
  const sourcesIn = (language: string) => samples.filter(({ label }) => label === language);

  it("exist for curl, TypeScript and Python, and contain the path or the operation of the clients", () => {
    for (const { key, operation } of calls) {
      const found = operation["x-codeSamples"] ?? [];
      expect(
        found.map(({ label }) => label),
        key,
      ).toEqual(["curl", "TypeScript", "Python"]);
      const [curl = "", typescript = "", python = ""] = found.map(({ source }) => source);
      const [, path = ""] = key.split(" ");
      expect(curl, key).toContain(path.split("{")[0]);
      expect(curl, key).not.toMatch(/BASE_URL[^\s"]*\{\w+\}\//);
      const { operationId } = operation;
      const snakeCase = operationId.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
      expect(typescript, key).toContain(
        path.startsWith("/v1/") ? `("${operationId}"` : path.split("{")[0],
      );
      expect(python, key).toContain(
        path.startsWith("/v1/") ? `("${snakeCase}"` : path.split("{")[0],
      );
    }
  });

  it("are valid shell, TypeScript and Python", () => {
    for (const { source } of sourcesIn("curl")) execFileSync("sh", ["-n", "-c", source]);
    for (const { source } of sourcesIn("TypeScript")) {
      expect(() => transformSync(source, { loader: "ts", target: "esnext" })).not.toThrow();
    }
    const program = "import ast, json, sys\nfor s in json.load(sys.stdin): ast.parse(s)";
    const input = JSON.stringify(sourcesIn("Python").map(({ source }) => source));
    execFileSync("python3", ["-c", program], { input });
  });
});
