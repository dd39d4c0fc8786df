import { addressOf } from "../../api/client.ts";
import type { CallBody, CallRequest } from "./calls.ts";

/** Replaces the API key in code, because users may share the code. */
const placeholder = "YOUR_API_KEY";

export const languages = ["curl", "typescript", "python"] as const;
export type Language = (typeof languages)[number];

export const languageNames: Readonly<Record<Language, string>> = {
  curl: "curl",
  typescript: "TypeScript",
  python: "Python",
};

/** The number of entries to show of a long list. */
const shownMax = 12;

interface Snippet {
  /** The code to display. Contains only the first entries of long lists. */
  readonly shown: string;
  /** The complete code, for the clipboard. */
  readonly whole: string;
}

/**
 * Returns the code of a call in a language: the complete code, and code with shortened lists for
 * display.
 */
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
 * The delimiter of the here-document with the body. The body is passed as input, because systems
 * limit the length of an argument. The delimiter is quoted, so the shell does not interpret the
 * body. No line of formatted JSON equals it.
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

/** Quotes a string for a shell. Within single quotes, a shell interprets only the closing quote. */
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

/** Returns JSON with one line for each entry. */
const literal = (body: CallBody): string => JSON.stringify(body, null, 2);

const indented = (text: string, by: string): string => text.replaceAll("\n", `\n${by}`);
