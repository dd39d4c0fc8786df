import { structuredError } from "../../shared/platforms/structured.ts";
import { route } from "../http/route.ts";

const refuse = ({ path }: { readonly path: Readonly<Record<string, string>> }): never => {
  throw structuredError(path["platform"] ?? "", path["kind"] ?? "");
};

/**
 * The structured-data endpoints (specification, section "Structured-data endpoints"). Always
 * returns an error: 404 for an unknown platform or kind, otherwise 501, even if parameters are
 * invalid.
 */
export const refuseStructuredRoute = route<unknown>({ announced: refuse, handle: refuse });
