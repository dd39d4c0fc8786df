import { createHash } from "node:crypto";

const hashLength = 16;

/** The options that identify a source. */
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
 * Returns the name of a source. All scrapers with the same adapter and host share a source, because
 * the host counts them as one caller; the price history API counts by key. The name contains a hash
 * and reveals neither the address nor the secret.
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
 * Normalizes the reference of a secret: an SSM parameter has the same name with and without its
 * ARN.
 */
export const secretName = (reference: string): string => reference.replace(parameterArnStart, "");
