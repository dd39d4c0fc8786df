import { localAccount } from "./template.ts";

export interface Endpoints {
  readonly dynamodb: string;
  readonly sqs: string;
  readonly s3: string;
  readonly scheduler: string;
  readonly kms: string;
}

/** Settings of the person at the machine that would lead a client past the local endpoints. */
const misleading = [
  "AWS_PROFILE",
  "AWS_SESSION_TOKEN",
  "AWS_ENDPOINT_URL",
  "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS",
] as const;

/**
 * Points every SDK client of this process at the local endpoints, by the standard variables.
 * @returns puts the variables back as they were
 */
export function pointClientsAt(endpoints: Endpoints): () => void {
  const wanted: Record<string, string | undefined> = {
    ...Object.fromEntries(misleading.map((name) => [name, undefined])),
    AWS_REGION: localAccount.region,
    AWS_ACCESS_KEY_ID: "local",
    AWS_SECRET_ACCESS_KEY: "local",
    AWS_ENDPOINT_URL_DYNAMODB: endpoints.dynamodb,
    AWS_ENDPOINT_URL_SQS: endpoints.sqs,
    AWS_ENDPOINT_URL_S3: endpoints.s3,
    AWS_ENDPOINT_URL_SCHEDULER: endpoints.scheduler,
    AWS_ENDPOINT_URL_KMS: endpoints.kms,
  };
  const before = Object.keys(wanted).map((name) => [name, process.env[name]] as const);
  setVariables(Object.entries(wanted));
  return () => setVariables(before);
}

function setVariables(variables: readonly (readonly [string, string | undefined])[]): void {
  for (const [name, value] of variables) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
}
