import type { RouteKey } from "../../../functions/routes.ts";
import { destinationBody } from "../../../shared/exports/destination.ts";
import { destinationSchema } from "../../../shared/exports/destination-schema.ts";
import type { Operation } from "../operation.ts";

const destination = {
  object: "s3_destination",
  enabled: true,
  bucket: "acme-events",
  region: "us-east-1",
  endpoint: null,
  force_path_style: false,
  prefix: "retail/",
  auth: "access_key",
  access_key_id: "AKIAEXAMPLE",
  secret_hint: "mple",
  role_arn: null,
  external_id: null,
  compression: "gzip",
  status: "active",
  last_success_at: null,
  last_error: null,
  created_at: "2026-11-21T01:09:35.668Z",
  updated_at: "2026-11-21T01:09:35.668Z",
};

export const exportOperations = {
  "GET /v1/s3_destination": {
    id: "getS3Destination",
    tag: "Export",
    summary: "Get the S3 destination",
    description: "Its secret access key is never shown.",
    answers: { 200: { description: "It.", schema: destinationSchema, example: destination } },
    refusals: [404],
  },
  "PUT /v1/s3_destination": {
    id: "putS3Destination",
    tag: "Export",
    summary: "Set the S3 destination",
    description:
      "One per account, any S3-compatible store. A check object is written and deleted before " +
      "anything is saved.",
    body: {
      schema: destinationBody,
      examples: {
        bucket: {
          bucket: "acme-events",
          region: "us-east-1",
          prefix: "retail/",
          access_key_id: "AKIAEXAMPLE",
          secret_access_key: "secret-example",
        },
      },
    },
    answers: {
      200: { description: "Replaced.", schema: destinationSchema, example: destination },
      201: { description: "Set.", schema: destinationSchema, example: destination },
    },
  },
} as const satisfies { readonly [Key in RouteKey]?: Operation };
