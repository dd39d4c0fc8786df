import { addressOf } from "../../api/client.ts";
import type { CallBody, CallRequest } from "./calls.ts";

/** Replaces the key: snippets are shared, so they must not contain it. */
const placeholder = "YOUR_API_KEY";

export const languages = ["curl", "typescript", "python"] as const;
export type Language = (typeof languages)[number];

export const languageNames: Readonly<Record<Language, string>> = {
  curl: "curl",
  typescript: "TypeScript",
  python: "Python",
};

/** Longer lists are shown by their beginning. */
const shownMax = 12;

interface Snippet {
  /** To read: of a long list the first entries only. */
  readonly shown: string;
  /** To run. */
  readonly whole: string;
}

/** A call as code. */
export function snippetOf(language: Language, request: CallRequest): Snippet {
  const write = writers[language];
  const { body } = request;
  return {
    shown: write({ ...request, body: body && shortened(body) }),
    whole: write(request),
  };
}

const shortened = (body: CallBody): CallBody =>
  Object.fromEntries(
    Object.entries(body).map(([name, value]) => [
      name,
      typeof value === "string" || value.length <= shownMax
        ? value
        : [...value.slice(0, shownMax), `… and ${value.length - shownMax} more`],
    ]),
  );

const writers: Readonly<Record<Language, (request: CallRequest) => string>> = {
  curl: curlOf,
  typescript: typescriptOf,
  python: pythonOf,
};

/**
 * Ends the body, which comes as input: systems bound the length of an argument. No line of JSON is
 * this, and nothing in between means anything to a shell.
 */
const ending = "JSON";

function curlOf({ method, path, query, body }: CallRequest): string {
  const address = shellQuoted(addressOf(path, query));
  const lines = [
    method === "GET" ? `curl ${address}` : `curl -X ${method} ${address}`,
    `-H "Authorization: Bearer ${placeholder}"`,
  ];
  if (body === undefined) return lines.join(" \\\n  ");
  lines.push('-H "Content-Type: application/json"', `--data @- <<'${ending}'`);
  return [lines.join(" \\\n  "), literal(body), ending].join("\n");
}

/** Nothing within single quotes means anything to a shell but the quote that ends them. */
const shellQuoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

function typescriptOf({ method, path, query, body, timeoutSeconds }: CallRequest): string {
  const type = body === undefined ? [] : ['    "Content-Type": "application/json",'];
  return [
    `const response = await fetch(${JSON.stringify(addressOf(path, query))}, {`,
    ...(method === "GET" ? [] : [`  method: "${method}",`]),
    "  headers: {",
    `    Authorization: "Bearer ${placeholder}",`,
    ...type,
    "  },",
    ...(body === undefined ? [] : [`  body: JSON.stringify(${indented(literal(body), "  ")}),`]),
    `  signal: AbortSignal.timeout(${timeoutSeconds} * 1000),`,
    "});",
    "if (!response.ok) throw new Error(await response.text());",
    "console.log(await response.json());",
  ].join("\n");
}

function pythonOf({ method, path, query, body, timeoutSeconds }: CallRequest): string {
  return [
    "import requests",
    "",
    `response = requests.${method.toLowerCase()}(`,
    `    ${JSON.stringify(addressOf(path, query))},`,
    `    headers={"Authorization": "Bearer ${placeholder}"},`,
    ...(body === undefined ? [] : [`    json=${indented(literal(body), "    ")},`]),
    `    timeout=${timeoutSeconds},`,
    ")",
    "response.raise_for_status()",
    "print(response.json())",
  ].join("\n");
}

/** JSON with a line for each entry. */
const literal = (body: CallBody): string => JSON.stringify(body, null, 2);

const indented = (text: string, by: string): string => text.replaceAll("\n", `\n${by}`);
