import { structuredRefusal } from "../../shared/platforms/structured.ts";
import { route } from "../http/route.ts";

/** Any structured endpoint (specification, section "Structured-data endpoints"): none is live. */
export const callRoute = route<unknown>({
  async handle({ path }) {
    throw structuredRefusal(path["platform"] ?? "", path["kind"] ?? "");
  },
});
