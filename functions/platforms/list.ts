import { presentPlatforms } from "../../shared/platforms/present-platform.ts";
import { route } from "../http/route.ts";

/** `GET /v1/platforms` (specification, same section). */
export const listRoute = route<unknown>({
  async handle() {
    return { status: 200, body: presentPlatforms() };
  },
});
