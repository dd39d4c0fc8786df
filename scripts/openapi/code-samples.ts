import type { JsonObject } from "../../tools/documents/json-schema.ts";

/** A call with example values, as the samples show it. */
export interface SampleCall {
  readonly method: string;
  /** The path with example values for its parameters. */
  readonly path: string;
  readonly needsKey: boolean;
  readonly body?: unknown;
}

/** Returns the `x-codeSamples` of an operation: the same call in curl, TypeScript and Python. */
export const codeSamples = (call: SampleCall): readonly JsonObject[] => [
  { lang: "shell", label: "curl", source: curl(call) },
  { lang: "typescript", label: "TypeScript", source: typescript(call) },
  { lang: "python", label: "Python", source: python(call) },
];

function curl({ method, path, needsKey, body }: SampleCall): string {
  return [
    `curl${method === "GET" ? "" : ` -X ${method}`} "$BASE_URL${path}"`,
    ...(needsKey ? ['  -H "Authorization: Bearer $API_KEY"'] : []),
    ...(body === undefined
      ? []
      : [
          '  -H "Content-Type: application/json"',
          `  -d '${JSON.stringify(body).replaceAll("'", String.raw`'\''`)}'`,
        ]),
  ].join(" \\\n");
}

function typescript({ method, path, needsKey, body }: SampleCall): string {
  const headers = [
    ...(needsKey ? ["Authorization: `Bearer ${process.env.API_KEY}`"] : []),
    ...(body === undefined ? [] : ['"Content-Type": "application/json"']),
  ];
  const options = [
    ...(method === "GET" ? [] : [`method: "${method}"`]),
    ...(headers.length === 0 ? [] : [`headers: { ${headers.join(", ")} }`]),
    ...(body === undefined ? [] : [`body: JSON.stringify(${indented(body, 2)})`]),
  ];
  const address = `\`\${process.env.BASE_URL}${path}\``;
  return [
    options.length === 0
      ? `const response = await fetch(${address});`
      : `const response = await fetch(${address}, {\n  ${options.join(",\n  ")},\n});`,
    "console.log(response.status, await response.text());",
  ].join("\n");
}

function python({ method, path, needsKey, body }: SampleCall): string {
  const parts = [
    `os.environ["BASE_URL"] + ${JSON.stringify(path)}`,
    ...(needsKey ? ['headers={"Authorization": f"Bearer {os.environ[\'API_KEY\']}"}'] : []),
    ...(body === undefined ? [] : [`json=${literal(body)}`]),
  ];
  return [
    "import os",
    "import requests",
    "",
    `response = requests.${method.toLowerCase()}(\n    ${parts.join(",\n    ")},\n)`,
    "print(response.status_code, response.text)",
  ].join("\n");
}

const indented = (value: unknown, spaces: number): string =>
  JSON.stringify(value, null, 2).replaceAll("\n", `\n${" ".repeat(spaces)}`);

/** Returns a JSON value as a Python expression. */
function literal(value: unknown): string {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (Array.isArray(value)) return `[${value.map(literal).join(", ")}]`;
  if (typeof value !== "object") return JSON.stringify(value);
  const entries = Object.entries(value).map(
    ([key, one]) => `${JSON.stringify(key)}: ${literal(one)}`,
  );
  return `{${entries.join(", ")}}`;
}
