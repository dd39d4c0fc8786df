import { localAccount } from "./template.ts";

/** The addresses of the emulators, by AWS service. */
export interface Endpoints {
  readonly dynamodb: string;
  readonly sqs: string;
  readonly s3: string;
  readonly scheduler: string;
  readonly kms: string;
  readonly events: string;
}

/** Variables of the developer's shell that would direct a client away from the local endpoints. */
const conflictingVariables = [
  "AWS_PROFILE",
  "AWS_SESSION_TOKEN",
  "AWS_ENDPOINT_URL",
  "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS",
] as const;

const endpointVariables = {
  dynamodb: "AWS_ENDPOINT_URL_DYNAMODB",
  sqs: "AWS_ENDPOINT_URL_SQS",
  s3: "AWS_ENDPOINT_URL_S3",
  scheduler: "AWS_ENDPOINT_URL_SCHEDULER",
  kms: "AWS_ENDPOINT_URL_KMS",
  events: "AWS_ENDPOINT_URL_EVENTBRIDGE",
} as const satisfies Record<keyof Endpoints, string>;

/**
 * Directs every SDK client of this process to the local endpoints, through the standard environment
 * variables. The variables stay set after a world stops, because late calls must not reach the
 * developer's AWS account.
 * @param endpoints the addresses by AWS service; a service that is absent keeps its variable
 */
export function pointClientsAt(endpoints: Partial<Endpoints>): void {
  const wanted: (readonly [string, string | undefined])[] = [
    ...conflictingVariables.map((name) => [name, undefined] as const),
    ["AWS_REGION", localAccount.region],
    ["AWS_ACCESS_KEY_ID", "local"],
    ["AWS_SECRET_ACCESS_KEY", "local"],
  ];
  for (const service of ["dynamodb", "sqs", "s3", "scheduler", "kms", "events"] as const) {
    const endpoint = endpoints[service];
    if (endpoint !== undefined) wanted.push([endpointVariables[service], endpoint]);
  }
  for (const [name, value] of wanted) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
}
