import { existsSync, readFileSync } from "node:fs";
import { Aws } from "aws-cdk-lib";
import type { IGrantable } from "aws-cdk-lib/aws-iam";
import { StringParameter } from "aws-cdk-lib/aws-ssm";
import type { Construct } from "constructs";
import { environment, storedVersionsVariable } from "../functions/environment.ts";
import { checkedSources } from "../shared/sources/registry/check-rules.ts";
import { secretsOf } from "../shared/sources/registry/configuration.ts";
import { secretReference } from "../shared/sources/contract/secret-reference.ts";
import { grantKeyDecrypt, grantParameterRead, grantSecretRead } from "./grants.ts";

/**
 * The configuration of the sources. It is known at the synthesis, or is in an SSM parameter that
 * the deployment reads.
 */
export type Sources =
  | { readonly kind: "known"; readonly variable: string }
  | {
      readonly kind: "parameter";
      /** Name of the SSM parameter that contains the JSON. */
      readonly name: string;
      /**
       * References to the secrets in the JSON, and the ARNs of the KMS keys that encrypt these
       * secrets.
       */
      readonly secrets: readonly string[];
    };

/** The values of the CDK context that define the sources, before they are checked. */
export interface SourceContext {
  /** The JSON, or the path of a file that contains the JSON. */
  readonly sources?: unknown;
  /** Name of the SSM parameter that contains the configuration of the sources as JSON. */
  readonly sourcesParameter?: unknown;
  /**
   * References to the secrets in the JSON of `sourcesParameter`, and the ARNs of their KMS keys,
   * separated by commas.
   */
  readonly sourceSecrets?: unknown;
}

/**
 * Reads the configuration of the sources from the CDK context.
 * @param stageDefault configuration if the context has none
 * @throws Error that names the invalid key. The error never contains the key's value, which may
 * contain a secret.
 */
export function sourcesOf(context: SourceContext, stageDefault: object): Sources {
  const { sources, sourcesParameter, sourceSecrets } = context;
  if (sourcesParameter !== undefined) {
    if (sources !== undefined) {
      throw new Error(
        "Context keys 'sources' and 'sourcesParameter' are both set. Omit one of the two keys.",
      );
    }
    return fromParameter(sourcesParameter, sourceSecrets);
  }
  if (sourceSecrets !== undefined) {
    throw new Error(
      "Context key 'sourceSecrets' requires 'sourcesParameter'. Set 'sourcesParameter', or omit 'sourceSecrets'.",
    );
  }
  const text = textOf(sources ?? stageDefault);
  checkedSources(text);
  // Removes white space, because the size of the environment variable is limited.
  const variable = JSON.stringify(JSON.parse(text));
  checkRoom(variable);
  return { kind: "known", variable };
}

/**
 * Lambda's limit for all environment variables of a function with their names, as one JSON object,
 * in bytes.
 */
const environmentBytesMax = 4_096;
/** Variables that every function has in addition to the variables in functions/environment.ts. */
const commonVariables = ["POWERTOOLS_SERVICE_NAME", "UV_THREADPOOL_SIZE", storedVersionsVariable];
/**
 * Matches the names of variables whose values are generated at deployment, such as ARNs. The values
 * of the other variables are short.
 */
const generated = /_(?:TABLE|URL|ARN|GROUP|BUCKET|ID)$/;
const generatedBytesMax = 160;
const wordBytesMax = 32;

/**
 * Checks that the value of SOURCES fits into the environment variables of every function that reads
 * SOURCES.
 * @throws Error if the environment variables of such a function would exceed Lambda's limit
 */
function checkRoom(variable: string): void {
  const room = Math.min(...Object.values(environment).filter(isReader).map(roomBeside));
  // JSON escapes each quotation mark in the value, so that each takes two bytes.
  const bytes = bytesOf(variable) - bytesOf("");
  if (bytes <= room) return;
  throw new Error(
    `SOURCES has ${bytes} bytes, but a function has room for only ${room} bytes besides its other variables ` +
      "(Lambda allows 4 KB for all of them, and each quote counts twice). Omit options that have " +
      "their defaults, and refer to secrets by short names of SSM parameters. A sourcesParameter " +
      "does not help: its value becomes the same variable.",
  );
}

const isReader = (names: readonly string[]): boolean => names.includes("SOURCES");

/** Returns the number of bytes that the other variables of a function leave for SOURCES. */
function roomBeside(names: readonly string[]): number {
  const others = [...names, ...commonVariables]
    .filter((name) => name !== "SOURCES")
    .map((name) => [name, "-".repeat(generated.test(name) ? generatedBytesMax : wordBytesMax)]);
  return environmentBytesMax - bytesOf({ ...Object.fromEntries(others), SOURCES: "" });
}

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/**
 * Returns the value of the environment variable SOURCES: the JSON, or a reference to the SSM
 * parameter, which CloudFormation resolves at the deployment.
 */
export const sourcesVariable = (scope: Construct, sources: Sources): string =>
  sources.kind === "known"
    ? sources.variable
    : StringParameter.valueForStringParameter(scope, sources.name);

/**
 * Allows `grantee` to read the secrets and parameters that the sources use, and to decrypt with the
 * KMS keys of the sources. Grants access to no other secret.
 */
export function grantSourceSecrets(grantee: IGrantable, sources: Sources): void {
  const references =
    sources.kind === "parameter"
      ? sources.secrets
      : secretsOf(checkedSources(sources.variable)).flatMap(({ reference, kmsKeyArn }) =>
          kmsKeyArn === undefined ? [reference] : [reference, kmsKeyArn],
        );
  for (const reference of new Set(references)) grantReference(grantee, reference);
}

/** Grants access to the secret, the SSM parameter or the KMS key with this reference. */
function grantReference(grantee: IGrantable, reference: string): void {
  const secret = secretReference(reference);
  if (secret?.kind === "secret") grantSecretRead(grantee, secret.arn);
  else if (secret?.kind === "parameter") grantParameterRead(grantee, parameterArnOf(secret.name));
  else grantKeyDecrypt(grantee, reference);
}

const parameterArnOf = (name: string): string =>
  name.startsWith("arn:")
    ? name
    : `arn:${Aws.PARTITION}:ssm:${Aws.REGION}:${Aws.ACCOUNT_ID}:parameter${name}`;

/**
 * Returns the sources in an SSM parameter.
 * @throws Error if the name or a reference is invalid
 */
function fromParameter(name: unknown, secrets: unknown): Sources {
  if (typeof name !== "string" || !/^\/?[\w./-]{1,1010}$/.test(name)) {
    throw new Error(
      "Context key 'sourcesParameter' must be the name of an SSM parameter, such as /retail/sources. The value is not shown, because it may contain a key.",
    );
  }
  const references = typeof secrets === "string" ? secrets.split(",") : [];
  if (secrets !== undefined && !references.every(isStoredSecretOrKey)) {
    throw new Error(
      "Context key 'sourceSecrets' must list ARNs of secrets, names or ARNs of SSM parameters, and ARNs of " +
        "KMS keys, separated by commas. Do not enter a secret itself.",
    );
  }
  return { kind: "parameter", name, secrets: references };
}

/** Returns true for a reference to a stored secret, and for the ARN of a KMS key. */
function isStoredSecretOrKey(reference: string): boolean {
  const kind = secretReference(reference)?.kind;
  return kind === undefined ? /^arn:aws[\w-]*:kms:/.test(reference) : kind !== "variable";
}

/**
 * Returns the JSON in the context value `sources`: an object as JSON, a string that begins with `{`
 * unchanged, and for any other string the content of the file with this path.
 * @throws Error if there is no such file
 */
function textOf(sources: unknown): string {
  if (typeof sources !== "string") return JSON.stringify(sources);
  if (sources.trimStart().startsWith("{")) return sources;
  if (!existsSync(sources)) {
    throw new Error(
      "Context key 'sources' must be a JSON object or the path of an existing file. The value is not shown, because it may contain a key.",
    );
  }
  return readFileSync(sources, "utf8");
}
