import {
  type ApiDocument,
  type ApiMedia,
  type ApiOperation,
  type ApiResponse,
  refName,
} from "./document.ts";
import { element, inline, prose } from "./element.ts";
import { schemaList } from "./schema.ts";
import { tryIt } from "./try-it.ts";

const root = document.getElementById("docs");
/** Where the service is, whatever path prefix it has: `/docs` is next to `/v1`. */
const base = new URL(".", location.href).href.replace(/\/$/, "");

if (root !== null) {
  const response = await fetch(`${base}/v1/openapi.json`, { credentials: "omit" });
  show(root, (await response.json()) as ApiDocument);
}

function show(into: HTMLElement, api: ApiDocument): void {
  const key = element("input", {
    type: "password",
    autocomplete: "off",
    placeholder: "API key, forgotten when this page is closed",
    "aria-label": "API key",
  });
  into.append(
    ...prose(api.info.description),
    element("div", { class: "key" }, key),
    ...api.tags.flatMap(({ name, description }) => {
      const found = operationsOf(api, name);
      if (found.length === 0) return [];
      return [
        element("h2", {}, name),
        element("p", {}, ...inline(description)),
        ...found.map((one) => operationDetails(api, one, () => key.value)),
      ];
    }),
  );
  openNamed();
  addEventListener("hashchange", openNamed);
}

/** Opens the operation that the address names. */
function openNamed(): void {
  const named = document.getElementById(location.hash.slice(1));
  if (named instanceof HTMLDetailsElement) named.open = true;
}

interface Placed {
  readonly method: string;
  readonly path: string;
  readonly operation: ApiOperation;
}

function operationsOf(api: ApiDocument, tag: string): Placed[] {
  return Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => operation.tags.includes(tag))
      .map(([method, operation]) => ({ method, path, operation })),
  );
}

function operationDetails(
  api: ApiDocument,
  { method, path, operation }: Placed,
  key: () => string,
): HTMLElement {
  const { operationId, summary, description, deprecated, security } = operation;
  const details = element(
    "details",
    { id: operationId },
    element(
      "summary",
      {},
      element("b", {}, method.toUpperCase()),
      element("code", deprecated === true ? { class: "deprecated" } : {}, path),
      ` ${summary}${security?.length === 0 ? " (public)" : ""}`,
    ),
  );
  // What is inside is made when it is first looked at.
  details.addEventListener(
    "toggle",
    () => {
      details.append(
        ...prose(description),
        ...parametersTable(operation),
        ...bodyOf(api, operation),
        ...responses(api, operation),
        tryIt({ base, method, path, operation, key }),
      );
    },
    { once: true },
  );
  return details;
}

function parametersTable({ parameters = [] }: ApiOperation): HTMLElement[] {
  if (parameters.length === 0) return [];
  const rows = parameters.map(({ name, in: place, required, description = "", schema }) =>
    element(
      "tr",
      {},
      element("td", {}, element("code", {}, name)),
      element("td", {}, `${place}${required === true ? "" : ", optional"}`),
      element("td", {}, schema.enum?.join(" | ") ?? schema.type ?? ""),
      element("td", {}, ...inline(description)),
    ),
  );
  return [element("h4", {}, "Parameters"), element("table", {}, element("tbody", {}, ...rows))];
}

function bodyOf(api: ApiDocument, { requestBody }: ApiOperation): HTMLElement[] {
  const schema = requestBody?.content["application/json"]?.schema;
  return schema === undefined
    ? []
    : [element("h4", {}, "Body"), schemaList(schema, api.components.schemas)];
}

function responses(api: ApiDocument, operation: ApiOperation): HTMLElement[] {
  return [
    element("h4", {}, "Answers"),
    ...Object.entries(operation.responses).map(([status, response]) =>
      responseDetails(api, status, response),
    ),
  ];
}

function responseDetails(api: ApiDocument, status: string, response: ApiResponse): HTMLElement {
  const { description = "", content = {} } =
    response.$ref === undefined
      ? response
      : (api.components.responses[refName(response.$ref)] ?? {});
  const media = content["application/json"] ?? {};
  return element(
    "details",
    {},
    element("summary", {}, element("b", {}, status), ...inline(description)),
    ...(media.schema === undefined ? [] : [schemaList(media.schema, api.components.schemas)]),
    ...examplesOf(media).map((example) => element("pre", {}, JSON.stringify(example, null, 2))),
  );
}

function examplesOf({ example, examples = {} }: ApiMedia): unknown[] {
  return [
    ...(example === undefined ? [] : [example]),
    ...Object.values(examples).map(({ value }) => value),
  ];
}
