import { presentStructured } from "../../shared/platforms/structured.ts";
import { route } from "../http/route.ts";

/**
 * `GET /v1/structured`. Lists the endpoints that are announced but not yet available
 * (specification, section "Structured-data endpoints").
 */
export const listStructuredRoute = route<unknown>({
  async handle() {
    return { status: 200, body: presentStructured() };
  },
});
