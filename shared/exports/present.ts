import type { Destination } from "./destination.ts";

/** The S3 destination as answers show it; the secret access key never appears. */
export function presentDestination(destination: Destination): Record<string, unknown> {
  return {
    object: "s3_destination",
    enabled: destination.enabled,
    bucket: destination.bucket,
    region: destination.region,
    endpoint: destination.endpoint,
    force_path_style: destination.forcePathStyle,
    prefix: destination.prefix,
    auth: destination.auth,
    access_key_id: destination.accessKeyId,
    secret_hint: destination.secretHint,
    role_arn: null,
    external_id: null,
    compression: destination.compression,
    status: statusOf(destination),
    last_success_at: destination.lastSuccessAt,
    last_error: destination.lastError,
    created_at: destination.createdAt,
    updated_at: destination.updatedAt,
  };
}

function statusOf({ enabled, failing }: Destination): "active" | "failing" | "disabled" {
  if (!enabled) return "disabled";
  return failing ? "failing" : "active";
}
