import * as v from "valibot";
import { destinationBody, destinationPatchBody } from "../../../shared/exports/destination-body.ts";
import type { JsonObject } from "../../../tools/documents/json-schema.ts";
import { where } from "../rules.ts";

const {
  auth: _auth,
  access_key_id,
  secret_access_key,
  role_arn,
  endpoint,
  ...place
} = destinationBody.entries;
const authKind = <const Kind extends string>(kind: Kind) =>
  v.pipe(v.literal(kind), v.metadata({ type: "string" }));

const noKey: JsonObject = {
  access_key_id: { type: "null" },
  secret_access_key: { type: "null" },
};

/** Bodies of `PUT /v1/s3_destination`, one for each kind of credentials. */
export const destinationBodies = {
  S3DestinationWithAccessKey: {
    schema: v.object({
      ...place,
      endpoint,
      auth: v.optional(authKind("access_key")),
      access_key_id: access_key_id.wrapped.wrapped,
      secret_access_key: v.pipe(secret_access_key.wrapped.wrapped, v.description("Write-only.")),
    }),
    rules: { dependentSchemas: { role_arn: { properties: { role_arn: { type: "null" } } } } },
  },
  S3DestinationWithRole: {
    schema: v.object({ ...place, auth: authKind("role"), role_arn: role_arn.wrapped.wrapped }),
    rules: {
      dependentSchemas: {
        auth: { properties: { ...noKey, endpoint: { type: "null" } } },
      },
    },
  },
};

/** Body of `PATCH /v1/s3_destination`. */
export const destinationUpdateBodies = {
  S3DestinationUpdate: {
    schema: destinationPatchBody,
    rules: where("auth", ["role"], {
      rules: { properties: { ...noKey, endpoint: { type: "null" } } },
      otherwise: where("auth", ["access_key"], {
        rules: { properties: { role_arn: { type: "null" } } },
      }),
    }),
  },
};
