import type { ApiParameter } from "./document.ts";

export interface FilledIn {
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly (Pick<ApiParameter, "name" | "in"> & { readonly value: string })[];
  /** JSON text; empty for none. */
  readonly body: string;
  /** Empty for none. */
  readonly key: string;
}

export interface PreparedCall {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** The call that a filled-in form stands for; parameters left empty are not sent. */
export function prepareCall(base: string, filled: FilledIn): PreparedCall {
  const given = filled.parameters.filter(({ value }) => value !== "");
  let { path } = filled;
  for (const { name, value } of given.filter((one) => one.in === "path")) {
    path = path.replace(`{${name}}`, encodeURIComponent(value));
  }
  const query = new URLSearchParams(
    given.filter((one) => one.in === "query").map(({ name, value }) => [name, value]),
  ).toString();
  return {
    url: `${base}${path}${query === "" ? "" : `?${query}`}`,
    method: filled.method.toUpperCase(),
    headers: {
      ...(filled.key === "" ? {} : { Authorization: `Bearer ${filled.key}` }),
      ...(filled.body === "" ? {} : { "Content-Type": "application/json" }),
      ...Object.fromEntries(
        given.filter((one) => one.in === "header").map(({ name, value }) => [name, value]),
      ),
    },
    ...(filled.body === "" ? {} : { body: filled.body }),
  };
}

/** Headers of an answer that say something to a reader. */
export const shownHeaders = [
  "x-request-id",
  "x-ratelimit-remaining",
  "x-service-credits",
  "x-service-balance",
  "retry-after",
  "idempotent-replayed",
];
