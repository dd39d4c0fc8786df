import { createHash } from "node:crypto";

const hashLength = 16;

/** What tells one source from another, as the configuration has it. */
type NamedSource =
  | { readonly adapter: "a_history"; readonly baseUrl: string; readonly secret: NamedSecret }
  | { readonly adapter: "web"; readonly urlTemplate: string }
  | {
      readonly adapter: "upstream" | "d_catalog" | "b_affiliate";
      readonly baseUrl: string;
    };

interface NamedSecret {
  readonly reference: string;
}

/**
 * The name of the source that an adapter reads from: whoever reads by the same adapter from the same
 * host is one caller to it, whatever for. The history API counts by key. Tells neither the address
 * nor the secret.
 */
export function sourceName(source: NamedSource): string {
  const { origin } = new URL(source.adapter === "web" ? source.urlTemplate : source.baseUrl);
  const key = source.adapter === "a_history" ? secretName(source.secret.reference) : "";
  const hash = createHash("sha256")
    .update(JSON.stringify([origin, key]))
    .digest("hex");
  return `${source.adapter}.${hash.slice(0, hashLength)}`;
}

const parameterArnStart = /^arn:[^/]+:parameter(?=\/)/;

/** One name for a secret: a parameter of SSM goes by its name or by its ARN. */
export const secretName = (reference: string): string => reference.replace(parameterArnStart, "");
