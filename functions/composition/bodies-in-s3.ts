import { S3Client } from "@aws-sdk/client-s3";
import { s3EventBodies } from "../../shared/aws/deliveries/event-bodies.ts";
import { clientSettings } from "../../shared/aws/sdk/client-settings.ts";
import { limits } from "../../shared/base/limits.ts";
import type { EventBodies } from "../../shared/events/event-archive.ts";
import { client } from "./clients.ts";
import type { Needs } from "../environment.ts";
import type { Overrides } from "./overrides.ts";

const bodySettings = () => clientSettings({ attemptMs: limits.dependencies.bodyAttemptMs });
const s3ByHost = /* @__PURE__ */ client("s3", () => new S3Client(bodySettings()));
const s3ByPath = /* @__PURE__ */ client(
  "s3",
  () => new S3Client({ ...bodySettings(), forcePathStyle: true }),
);

/**
 * Creates the store of event bodies in S3. If `overrides.forcePathStyle` is true, S3 URLs have the
 * bucket in their path.
 */
export const bodiesInS3 = (
  environment: Needs<"EVENTS_BUCKET">,
  overrides: Overrides,
): EventBodies => {
  const s3 = (overrides.forcePathStyle === true ? s3ByPath : s3ByHost)(overrides);
  return s3EventBodies(s3, environment.EVENTS_BUCKET);
};
