import { presentPlatforms } from "../../shared/platforms/present-platform.ts";
import { publicDocument } from "../http/public-document.ts";
import { route } from "../http/route.ts";

/**
 * `GET /v1/platforms`: a public document, the same for every caller (specification, section of the
 * same name).
 */
export const listPlatformsRoute = route<unknown>({
  async handle() {
    return publicDocument(presentPlatforms());
  },
});
