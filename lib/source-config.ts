import { existsSync, readFileSync } from "node:fs";
import { Aws } from "aws-cdk-lib";
import type { IGrantable } from "aws-cdk-lib/aws-iam";
import { StringParameter } from "aws-cdk-lib/aws-ssm";
import type { Construct } from "constructs";
import { parseSources, secretsOf } from "../shared/sources/configuration.ts";
import { secretReference } from "../shared/sources/secret-reference.ts";
import { grantKeyDecrypt, grantParameterRead, grantSecretRead } from "./grants.ts";

/** Which adapter reads for which scraper: known now, or read when the stack is deployed. */
export type Sources =
  | { readonly kind: "known"; readonly variable: string }
  | {
      readonly kind: "parameter";
      /** Name of an SSM parameter that holds the JSON. */
      readonly name: string;
      /** References to the secrets that the JSON names, and ARNs of the keys that seal them. */
      readonly secrets: readonly string[];
    };

/** What the command line may say about sources. */
export interface SourceContext {
  /** The JSON, or the path of a file that holds it. */
  readonly sources?: unknown;
  /** Name of an SSM parameter that holds the JSON. */
  readonly sourcesParameter?: unknown;
  /** What the JSON in the parameter names, separated by commas. */
  readonly sourceSecrets?: unknown;
}

/**
 * What the command line says about sources; `stageDefault` where it says nothing.
 * @throws Error that names the key at fault and never repeats a value, which may be a secret.
 */
export function sourcesOf(context: SourceContext, stageDefault: object): Sources {
  const { sources, sourcesParameter, sourceSecrets } = context;
  if (sourcesParameter !== undefined) {
    if (sources !== undefined) throw new Error("Give sources or sourcesParameter, not both.");
    return fromParameter(sourcesParameter, sourceSecrets);
  }
  if (sourceSecrets !== undefined) throw new Error("sourceSecrets goes with sourcesParameter.");
  const variable = textOf(sources ?? stageDefault);
  parseSources(variable);
  return { kind: "known", variable };
}

/** The value of the variable SOURCES. */
export const sourcesVariable = (scope: Construct, sources: Sources): string =>
  sources.kind === "known"
    ? sources.variable
    : StringParameter.valueForStringParameter(scope, sources.name);

/** Lets the grantee open the secrets that its sources need, and no others. */
export function grantSourceSecrets(grantee: IGrantable, sources: Sources): void {
  const references =
    sources.kind === "parameter"
      ? sources.secrets
      : secretsOf(parseSources(sources.variable)).flatMap(({ reference, kmsKeyArn }) =>
          kmsKeyArn === undefined ? [reference] : [reference, kmsKeyArn],
        );
  for (const reference of new Set(references)) grantReference(grantee, reference);
}

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

function fromParameter(name: unknown, secrets: unknown): Sources {
  if (typeof name !== "string" || !/^\/?[\w./-]{1,1010}$/.test(name)) {
    throw new Error("sourcesParameter is not the name of an SSM parameter.");
  }
  const references = typeof secrets === "string" ? secrets.split(",") : [];
  if (secrets !== undefined && !references.every(isStoredSecretOrKey)) {
    throw new Error(
      "sourceSecrets is not a list of references to secrets and of ARNs of KMS keys, " +
        "separated by commas.",
    );
  }
  return { kind: "parameter", name, secrets: references };
}

function isStoredSecretOrKey(reference: string): boolean {
  const kind = secretReference(reference)?.kind;
  return kind === undefined ? /^arn:aws[\w-]*:kms:/.test(reference) : kind !== "variable";
}

/** A file is read before a text is taken for JSON, which no path is. */
function textOf(sources: unknown): string {
  if (typeof sources !== "string") return JSON.stringify(sources);
  if (sources.trimStart().startsWith("{")) return sources;
  if (!existsSync(sources)) throw new Error("sources is neither JSON nor the path of a file.");
  return readFileSync(sources, "utf8");
}
