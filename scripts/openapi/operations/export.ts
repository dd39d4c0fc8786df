import type { RouteKey } from "../../../functions/routes.ts";
import {
  deletedDestinationResponse,
  destinationSchema,
  destinationTestResponse,
} from "../../../shared/exports/destination-schema.ts";
import { exportsQuery, exportsResponse } from "../../../shared/exports/export-schema.ts";
import { backfillBody, backfillResponse } from "../../../shared/exports/start-backfill.ts";
import { destinationBodies, destinationUpdateBodies } from "../bodies/destination.ts";
import { anyOf } from "../named-bodies.ts";
import type { Operation } from "../operation.ts";
import { probe } from "./probe.ts";

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
  external_id: "ext-0f6a1c2d3e4b5a69788796a5b4c3d2e1",
  compression: "gzip",
  rows: false,
  snapshot: "none",
  status: "active",
  last_success_at: null,
  last_error: null,
  created_at: "2026-11-21T01:09:35.668Z",
  updated_at: "2026-11-21T01:09:35.668Z",
};

const exported = {
  id: "exp_1d0jgb9a27fkzq3m8vcx5t0e",
  object: "s3_export",
  watchlist_id: "wl_1d0jg8k3mfkzq3m8vcx5t0ee",
  run_id: "wlrun_00000001afkzq3m8vcx5t0e",
  run_number: 1,
  state: "done",
  objects: 2,
  bytes: 1843,
  attempt_count: 1,
  last_error: null,
  next_attempt_at: null,
  manifest_key:
    "retail/events/v=2/dt=2026-11-21/watchlist_id=wl_1d0jg8k3mfkzq3m8vcx5t0ee/run_number=00000001/_manifest.json",
  created_at: "2026-11-21T01:20:04.102Z",
  finished_at: "2026-11-21T01:20:05.377Z",
};

const check =
  "Before it saves a change, the service writes and deletes a check object and looks up a key that does " +
  "not exist. The key or role needs `s3:PutObject` and `s3:DeleteObject`, and `kms:GenerateDataKey` if a " +
  "KMS key encrypts the bucket. A 400 names the field to change in `param`; its message has the step " +
  "that failed, the store's error code and what to do.";

const dueAtOnce = "Pending exports become due immediately, and their retry schedule restarts.";

export const exportOperations = {
  "GET /v1/s3_destination": {
    id: "getS3Destination",
    tag: "Export",
    summary: "Get the S3 destination",
    description:
      "Returns the settings and status of the S3 destination, without its secret access key.",
    answers: {
      200: { description: "The S3 destination.", schema: destinationSchema, example: destination },
    },
    refusals: [404],
  },
  "PUT /v1/s3_destination": {
    id: "putS3Destination",
    tag: "Export",
    summary: "Set the S3 destination",
    description:
      `Sets the destination of the account, in AWS or any S3-compatible store. ${check} ${dueAtOnce} ${probe}\n\n` +
      "With `auth` `access_key` the service signs with your key: `access_key_id` and " +
      "`secret_access_key` are required. With `auth` `role` (AWS only) it assumes `role_arn`, " +
      "whose trust policy must require your account's external ID. While the policy does not require " +
      "this ID, the call returns a 400 that names it.",
    body: {
      schema: anyOf(destinationBodies),
      examples: {
        bucket: {
          bucket: "acme-events",
          region: "us-east-1",
          prefix: "retail/",
          access_key_id: "AKIAEXAMPLE",
          secret_access_key: "secret-example",
        },
        role: {
          bucket: "acme-events",
          region: "eu-central-1",
          auth: "role",
          role_arn: "arn:aws:iam::123456789012:role/retail-events",
        },
      },
    },
    answers: {
      200: {
        description: "The changed destination.",
        schema: destinationSchema,
        example: destination,
      },
      201: { description: "The new destination.", schema: destinationSchema, example: destination },
    },
    refusals: [409],
  },
  "PATCH /v1/s3_destination": {
    id: "updateS3Destination",
    tag: "Export",
    summary: "Change the S3 destination",
    description:
      "Changes the fields that you send. `endpoint` null means AWS. A change of `bucket` or " +
      "`endpoint`, or of `auth` to `access_key`, needs `secret_access_key`.\n\n" +
      `${check} No check is needed to change only \`compression\`, or to disable the destination. ` +
      `${dueAtOnce} Disabling ends the exports that are pending. ${probe}`,
    body: {
      schema: destinationUpdateBodies.S3DestinationUpdate.schema,
      examples: {
        prefix: { prefix: "retail/2027/" },
        disable: { enabled: false },
        role: { auth: "role", role_arn: "arn:aws:iam::123456789012:role/retail-events" },
      },
    },
    answers: {
      200: {
        description: "The changed destination.",
        schema: destinationSchema,
        example: destination,
      },
    },
    refusals: [404, 409],
  },
  "DELETE /v1/s3_destination": {
    id: "deleteS3Destination",
    tag: "Export",
    summary: "Delete the S3 destination",
    description:
      "Deletes the S3 destination and cancels its pending exports. The objects in the bucket " +
      "stay.",
    answers: {
      200: {
        description: "The destination is deleted.",
        schema: deletedDestinationResponse,
        example: { object: "s3_destination", deleted: true },
      },
    },
    refusals: [404],
  },
  "POST /v1/s3_destination/test": {
    id: "testS3Destination",
    tag: "Export",
    summary: "Test the S3 destination",
    description:
      "Checks the destination now, whether it is enabled or not. A success makes a `failing` " +
      `destination \`active\` and clears \`last_error\`. ${dueAtOnce} If the check fails, this call ` +
      `still returns 200; the body names the field to change and what to do. ${probe}`,
    answers: {
      200: {
        description: "The result of the check.",
        schema: destinationTestResponse,
        example: {
          object: "s3_destination_test",
          ok: false,
          error: "KMS.DisabledException",
          param: "bucket",
          message:
            "Writing the check object 'retail/_service_check' to the bucket failed: " +
            "KMS.DisabledException. The KMS key that encrypts the bucket is disabled. Enable it, or " +
            "give the bucket another one.",
          duration_ms: 212,
        },
      },
    },
    refusals: [404],
  },
  "GET /v1/s3_destination/exports": {
    id: "listS3Exports",
    tag: "Export",
    summary: "List exports",
    description:
      "Lists one entry per run, newest first. Entries are kept for at least 30 days. An export is listed as soon as it " +
      "is pending, before its first attempt. A failed attempt is retried on the webhook retry " +
      "schedule: after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h.",
    query: exportsQuery,
    queryExamples: {
      starting_after: exported.id,
      state: "failed",
      watchlist_id: exported.watchlist_id,
      since: "2026-11-21T00:00:00Z",
    },
    answers: {
      200: {
        description: "The account's exports.",
        schema: exportsResponse,
        example: {
          object: "list",
          data: [exported],
          destination_status: "active",
          has_more: false,
          next_starting_after: null,
        },
      },
    },
  },
  "POST /v1/s3_destination/backfill": {
    id: "backfillS3Destination",
    tag: "Export",
    summary: "Export past runs again",
    description:
      "Exports every run that ended from `since` to `until` (both inclusive), whether it was " +
      "exported before or not. Below one prefix an event always has the same key and bytes, " +
      "because a run keeps the format of its first export.",
    body: {
      schema: backfillBody,
      examples: { since: { since: "2026-11-20T00:00:00Z" } },
    },
    answers: {
      202: {
        description: "The backfill started. `GET /v1/s3_destination/exports` shows its progress.",
        schema: backfillResponse,
        example: {
          object: "s3_backfill",
          since: "2026-11-20T00:00:00.000Z",
          until: "2026-11-21T01:09:35.668Z",
        },
      },
    },
    refusals: [404, 409],
  },
} as const satisfies { readonly [Key in RouteKey]?: Operation };
