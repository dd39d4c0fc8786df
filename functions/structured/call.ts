import { structuredRefusal } from "../../shared/platforms/structured.ts";
import { route } from "../http/route.ts";

const refuse = ({ path }: { readonly path: Readonly<Record<string, string>> }): never => {
  throw structuredRefusal(path["platform"] ?? "", path["kind"] ?? "");
};

/**
 * Any structured endpoint (specification, section "Structured-data endpoints"): none is live, and
 * what else is wrong with the call does not matter.
 */
export const callRoute = route<unknown>({ announced: refuse, handle: refuse });
