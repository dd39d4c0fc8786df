import type { JsonObject } from "../../tools/documents/json-schema.ts";

type Values = Readonly<Record<string, string>>;

/** A call with example values, as the samples show it. */
export interface SampleCall {
  readonly operationId: string;
  readonly method: string;
  /** The path with the names of its parameters in braces. */
  readonly template: string;
  /** Example values of the path parameters by name. */
  readonly path: Values;
  /** Example values of the required query parameters by name. */
  readonly query: Values;
  readonly needsKey: boolean;
  /** True if the response is a page of a list. */
  readonly isPage: boolean;
  readonly body?: unknown;
}

/**
 * Returns the `x-codeSamples` of an operation: the same call by curl, the TypeScript client and the
 * Python client. The samples of a page outside of `/v1` fetch the page without a client, because
 * the clients have no function for it.
 */
export const codeSamples = (call: SampleCall): readonly JsonObject[] => [
  { lang: "shell", label: "curl", source: curl(call) },
  {
    lang: "typescript",
    label: "TypeScript",
    source: isOfClient(call) ? typescript(call) : page(call),
  },
  { lang: "python", label: "Python", source: isOfClient(call) ? python(call) : pythonPage(call) },
];

const isOfClient = ({ template }: SampleCall): boolean => template.startsWith("/v1/");

function addressOf({ template, path, query }: SampleCall): string {
  const filled = template.replaceAll(/\{(\w+)\}/g, (_all, name: string) =>
    encodeURIComponent(path[name] ?? name),
  );
  const search = new URLSearchParams(query).toString();
  return search === "" ? filled : `${filled}?${search}`;
}

function curl(call: SampleCall): string {
  const { method, needsKey, body } = call;
  return [
    `curl${method === "GET" ? "" : ` -X ${method}`} "$BASE_URL${addressOf(call)}"`,
    ...(needsKey ? ['  -H "Authorization: Bearer $API_KEY"'] : []),
    ...(body === undefined
      ? []
      : [
          '  -H "Content-Type: application/json"',
          `  -d '${JSON.stringify(body).replaceAll("'", String.raw`'\''`)}'`,
        ]),
  ].join(" \\\n");
}

/** Returns the kinds of input that a call has, each with its values. */
const inputOf = ({ path, query, body }: SampleCall): readonly (readonly [string, unknown])[] => [
  ...(Object.keys(path).length === 0 ? [] : [["path", path] as const]),
  ...(Object.keys(query).length === 0 ? [] : [["query", query] as const]),
  ...(body === undefined ? [] : [["body", body] as const]),
];

function typescript(call: SampleCall): string {
  const input = inputOf(call).map(([name, value]) => `  ${name}: ${typescriptValue(value)},\n`);
  const options = input.length === 0 ? "" : `, {\n${input.join("")}}`;
  const called = `("${call.operationId}"${options})`;
  return [
    'import { Client } from "retail-product-data";',
    "",
    "const client = new Client(); // RPD_BASE_URL and RPD_API_KEY",
    ...(call.isPage
      ? [`for await (const entry of client.list${called})`, "  console.log(entry);"]
      : [`console.log(await client.call${called});`]),
  ].join("\n");
}

/** Returns the name that the Python client has for an operation ID. */
const snakeCase = (name: string): string =>
  name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

function python(call: SampleCall): string {
  const input = inputOf(call).map(([name, value]) => `, ${name}=${pythonValue(value)}`);
  const called = `("${snakeCase(call.operationId)}"${input.join("")})`;
  return [
    "from retail_product_data import Client",
    "",
    "with Client() as client:  # RPD_BASE_URL and RPD_API_KEY",
    ...(call.isPage
      ? [`    for entry in client.list${called}:`, "        print(entry)"]
      : [`    print(client.call${called})`]),
  ].join("\n");
}

const page = (call: SampleCall): string =>
  [
    `const response = await fetch(\`\${process.env.RPD_BASE_URL}${addressOf(call)}\`);`,
    "console.log(response.status, await response.text());",
  ].join("\n");

const pythonPage = (call: SampleCall): string =>
  [
    "import os",
    "import httpx",
    "",
    `response = httpx.get(os.environ["RPD_BASE_URL"] + ${JSON.stringify(addressOf(call))})`,
    "print(response.status_code, response.text)",
  ].join("\n");

/** Returns a JSON value as a TypeScript expression, for a line with an indent of two spaces. */
const typescriptValue = (value: unknown): string =>
  JSON.stringify(value, null, 2)
    .replaceAll(/^( *)"([A-Za-z_]\w*)":/gm, "$1$2:")
    .replaceAll("\n", "\n  ");

/** Returns a JSON value as a Python expression. */
function pythonValue(value: unknown): string {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (Array.isArray(value)) return `[${value.map(pythonValue).join(", ")}]`;
  if (typeof value !== "object") return JSON.stringify(value);
  const entries = Object.entries(value).map(
    ([key, one]) => `${JSON.stringify(key)}: ${pythonValue(one)}`,
  );
  return `{${entries.join(", ")}}`;
}
