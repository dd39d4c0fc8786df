import type { Account, S3Destination } from "../../api/resources.ts";
import { useQuery } from "../../api/use-query.ts";
import { Copyable } from "../../ui/copy-button.tsx";
import { Loaded, Skeleton } from "../../ui/states.tsx";
import type { DraftFieldsProps } from "./draft-fields.ts";
import { Choice, TextField } from "./form-fields.tsx";

interface AccessFieldsProps extends DraftFieldsProps {
  readonly destination: S3Destination | null;
}

/**
 * Fields for the credentials with which the service writes to the bucket: an access key or, on AWS,
 * an IAM role.
 */
export function AccessFields({ draft, destination, change, messageFor }: AccessFieldsProps) {
  return (
    <>
      {draft.store === "aws" && (
        <Choice
          legend="Credentials"
          name="auth"
          choices={[
            ["access_key", "Access key"],
            ["role", "IAM role in your account"],
          ]}
          value={draft.auth}
          onChange={(auth) => change({ auth })}
        />
      )}
      {draft.auth === "role" ? (
        <>
          <TextField
            label="Role ARN"
            placeholder="arn:aws:iam::123456789012:role/events"
            value={draft.roleArn}
            error={messageFor("role_arn")}
            onChange={(roleArn) => change({ roleArn })}
          />
          <ExternalId />
        </>
      ) : (
        <div class="form-row">
          <TextField
            label="Access key ID"
            value={draft.accessKeyId}
            error={messageFor("access_key_id")}
            onChange={(accessKeyId) => change({ accessKeyId })}
          />
          <TextField
            label="Secret access key"
            hint={secretHint(destination)}
            isSecret
            value={draft.secretAccessKey}
            error={messageFor("secret_access_key")}
            onChange={(secretAccessKey) => change({ secretAccessKey })}
          />
        </div>
      )}
    </>
  );
}

function secretHint(destination: S3Destination | null): string {
  if (destination?.auth !== "access_key") return "Stored encrypted, and never shown again.";
  const { secret_hint: hint } = destination;
  const ending = hint === null ? "" : `, which ends in ${hint}`;
  return `Leave empty to keep the current key${ending}. Required if you change the bucket or endpoint.`;
}

/**
 * Shows the external ID that the role's trust policy must require. The user needs it to create the
 * role, so it is shown before a destination exists.
 */
function ExternalId() {
  const account = useQuery((api, signal) => api.get<Account>("account", { signal }), []);
  return (
    <div class="field">
      <span class="field-label">External ID</span>
      <Loaded query={account} skeleton={<Skeleton lines={1} />}>
        {({ s3_external_id: externalId }) => <Copyable text={externalId} what="the external ID" />}
      </Loaded>
      <p class="field-hint">
        The role's trust policy must allow this service to assume the role only with this{" "}
        <code>sts:ExternalId</code>.
      </p>
    </div>
  );
}
