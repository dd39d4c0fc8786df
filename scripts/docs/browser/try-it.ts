import type { ApiOperation } from "./document.ts";
import { element } from "./element.ts";
import { prepareCall, shownHeaders } from "./request.ts";

interface Target {
  readonly base: string;
  readonly method: string;
  readonly path: string;
  readonly operation: ApiOperation;
  /** The key as it stands in its field now: it is kept nowhere else. */
  readonly key: () => string;
}

/** A form that makes the call and shows its answer. */
export function tryIt({ base, method, path, operation, key }: Target): HTMLElement {
  const fields = (operation.parameters ?? []).map((parameter) => {
    const input = element("input", {
      placeholder: parameter.example === undefined ? "" : String(parameter.example),
    });
    return { parameter, input };
  });
  const example = exampleBody(operation);
  const body = element("textarea", { spellcheck: "false", "aria-label": "Body" });
  body.value = example;
  const output = element("pre", { "aria-live": "polite" });
  output.hidden = true;
  const button = element("button", { type: "button" }, "Send");
  button.addEventListener("click", () => {
    const call = prepareCall(base, {
      method,
      path,
      parameters: fields.map(({ parameter, input }) => ({ ...parameter, value: input.value })),
      body: example === "" ? "" : body.value,
      key: operation.security?.length === 0 ? "" : key(),
    });
    output.hidden = false;
    output.textContent = "…";
    void send(call).then((text) => {
      output.textContent = text;
    });
  });
  return element(
    "div",
    {},
    element("h4", {}, "Try it"),
    ...fields.map(({ parameter, input }) =>
      element("label", {}, `${parameter.name} (${parameter.in})`, input),
    ),
    ...(example === "" ? [] : [body]),
    button,
    output,
  );
}

async function send({ url, ...init }: ReturnType<typeof prepareCall>): Promise<string> {
  try {
    const response = await fetch(url, { ...init, credentials: "omit", cache: "no-store" });
    const headers = shownHeaders.flatMap((name) => {
      const value = response.headers.get(name);
      return value === null ? [] : [`${name}: ${value}`];
    });
    const text = await response.text();
    return [`HTTP ${response.status}`, ...headers, "", pretty(text)].join("\n");
  } catch {
    return "The call did not get through.";
  }
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** The first example of the body; empty for an operation without one. */
function exampleBody({ requestBody }: ApiOperation): string {
  const [first] = Object.values(requestBody?.content["application/json"]?.examples ?? {});
  return first === undefined ? "" : JSON.stringify(first.value, null, 2);
}
