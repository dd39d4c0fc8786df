import { presentPlatforms } from "../../shared/platforms/present-platform.ts";
import { publicDocument } from "../http/public-document.ts";
import { route } from "../http/route.ts";

/** `GET /v1/platforms` (specification, same section). */
export const listPlatformsRoute = route<unknown>({
  async handle() {
    return publicDocument(presentPlatforms());
  },
});
