import * as v from "valibot";
import { timestamp } from "../base/wire-schema.ts";

/** The S3 destination as answers show it; the secret access key never appears. */
export const destinationSchema = v.object({
  object: v.literal("s3_destination"),
  enabled: v.boolean(),
  bucket: v.string(),
  region: v.string(),
  endpoint: v.nullable(
    v.pipe(v.string(), v.description("Address of an S3-compatible store; null: AWS.")),
  ),
  force_path_style: v.boolean(),
  prefix: v.pipe(v.string(), v.description("Comes before every object key as it is.")),
  auth: v.string(),
  access_key_id: v.nullable(v.string()),
  secret_hint: v.nullable(
    v.pipe(v.string(), v.description("The secret access key's last four characters.")),
  ),
  role_arn: v.nullable(v.string()),
  external_id: v.nullable(v.string()),
  compression: v.picklist(["gzip", "none"]),
  status: v.pipe(v.string(), v.description("active, failing or disabled.")),
  last_success_at: v.nullable(timestamp),
  last_error: v.nullable(v.string()),
  created_at: timestamp,
  updated_at: timestamp,
});
