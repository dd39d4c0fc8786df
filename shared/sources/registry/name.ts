import { createHash } from "node:crypto";

const hashLength = 16;

/** The options that identify a source. */
type NamedSource =
  | { readonly adapter: "a_history"; readonly baseUrl: string; readonly secret: NamedSecret }
  | { readonly adapter: "web"; readonly urlTemplate: string }
  | {
      readonly adapter: "upstream" | "d_catalog" | "b_affiliate" | "storefront";
      readonly baseUrl: string;
    };

interface NamedSecret {
  readonly reference: string;
}

/**
 * Returns the name of the source that a scraper's options configure. Scrapers with the same adapter
 * and the same origin (scheme, host and port) share one source, because the host counts their calls
 * together. The price history API counts calls by key, so the name of its source also depends on
 * the secret's reference. The name contains a hash, and reveals neither the address nor the
 * reference.
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

/**
 * Returns the reference of a secret, with the ARN of an SSM parameter shortened to the name of the
 * parameter. An ARN and a name that refer to the same parameter therefore become equal.
 */
export const secretName = (reference: string): string => reference.replace(parameterArnStart, "");
