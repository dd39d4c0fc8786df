import type { App } from "aws-cdk-lib";
import { Annotations } from "aws-cdk-lib";
import cdkSettings from "../cdk.json" with { type: "json" };
import {
  accessLogModes,
  configs,
  deployments,
  responseModes,
  sandboxSources,
  stages,
} from "./config.ts";
import type { AccessLogMode, Deployment, ResponseMode, Stage } from "./config.ts";
import { formatValue } from "../shared/base/shown-value.ts";
import { writtenVersions, type WrittenVersions } from "../shared/base/stored-versions.ts";
import { sourcesOf } from "./source-config.ts";
import type { Sources } from "./source-config.ts";

/**
 * The context keys for `-c key=value` and for stage files, each with its valid values.
 * `readContext` reads the keys that several constructs need. Each other key is read and checked by
 * the construct that uses it.
 */
const contextKeys = {
  stage: `one of ${stages.join(", ")}`,
  responseMode: `one of ${responseModes.join(", ")}`,
  sources: "sandbox, JSON, or the path of a file that contains the JSON",
  sourcesParameter: "the name of an SSM parameter",
  sourceSecrets: "references to secrets, separated by commas",
  accessLogs: `one of ${accessLogModes.join(", ")}`,
  deployment: `one of ${deployments.join(", ")}`,
  storedVersions: `one of ${writtenVersions.join(", ")}`,
  reservedConcurrency: "on or off",
  accountConcurrency: "the AWS account's quota of concurrent Lambda invocations, such as 50",
  waf: "true or false",
  wafReason: "the reason for 'waf' false, as a sentence of at least 20 characters",
  domainName: "a host name, such as api.example.com",
  certificateArn: "the ARN of a certificate in the stack's region",
  hostedZoneId: "the ID of the domain's Route 53 hosted zone",
  unprotect: "the name of the data stack whose protection is removed",
  demoApiKey: "a key of the demo workspace, which begins with svc_demo_",
  backups: "on or off",
  backupCopyVault: "the ARN of a backup vault in another region or AWS account",
  eventBus: "on or off",
  eventBusArchiveDays: "a number of days from 1 to 3650",
  eventBusSchemas: "on or off",
  analytics: "on or off",
  analyticsExports: "the address of exports, such as s3://my-bucket/shop/",
  alarmEmail: "an email address",
  monthlyBudget: "an amount in US dollars, such as 500",
  runbookUrl: "the HTTPS URL of docs/operate.md in a browser",
} as const;
export type ContextKey = keyof typeof contextKeys;

/** Unchecked context values from the command line or a file. */
export type GivenContext = Readonly<Partial<Record<ContextKey, unknown>>>;

/** A custom domain for the API. */
export interface Domain {
  readonly name: string;
  readonly certificateArn: string;
  /**
   * The hosted zone in which the stack creates the alias record.
   * @default - the deployer creates a DNS record
   */
  readonly hostedZoneId?: string;
}

/** Whether the API has a web ACL. */
export type FirewallChoice =
  | { readonly enabled: true }
  /** The reason why the API has no web ACL. Required in stages that have one by default. */
  | { readonly enabled: false; readonly reason?: string };

/** Whether AWS Backup backs the tables up. */
export type BackupChoice =
  | { readonly enabled: false }
  | {
      readonly enabled: true;
      /** ARN of a vault in another region or AWS account, for a copy of each daily backup. */
      readonly copyVaultArn?: string;
    };

/** The settings of the event bus. */
export interface EventBusOptions {
  /** Days for which an archive keeps the events. @default - no archive */
  readonly archiveDays?: number;
  /** True if EventBridge discovers the schemas of the events. */
  readonly discoversSchemas: boolean;
}

/** Whether the deployment has an event bus. */
export type EventBusChoice =
  | { readonly enabled: false }
  | ({ readonly enabled: true } & EventBusOptions);

/** Whether the deployment has tables and saved queries of Athena. */
export type AnalyticsChoice =
  | { readonly enabled: false }
  | {
      readonly enabled: true;
      /** Address of the exports that the tables contain, with a slash at the end. */
      readonly exports: string;
    };

/** The settings of one deployment. They extend or override the configuration of its stage. */
export interface Context {
  readonly stage: Stage;
  readonly responseMode?: ResponseMode;
  readonly accessLogs?: AccessLogMode;
  readonly deployment?: Deployment;
  readonly storedVersions: WrittenVersions;
  readonly sources: Sources;
  /** False if the deployment reserves no concurrency for any function. */
  readonly reservesConcurrency: boolean;
  /**
   * The AWS account's quota of concurrent executions.
   * @default - the quota in the configuration of the stage
   */
  readonly accountConcurrency?: number;
  readonly firewall: FirewallChoice;
  readonly backups: BackupChoice;
  readonly eventBus: EventBusChoice;
  readonly analytics: AnalyticsChoice;
  readonly domain?: Domain;
  /** API key of the demo workspace. It is public, because the dashboard contains it. */
  readonly demoApiKey?: string;
  /** Name of the data stack whose protection is removed. */
  readonly unprotect?: string;
}

/**
 * Reads and checks the context of a deployment: the settings from the command line and the stage
 * file.
 * @throws Error that names the first invalid key and its valid values. The message never contains
 * `sources`, which may contain a secret.
 */
export function readContext(app: App): Context {
  reportUnknownKeys(app);
  const given = (key: ContextKey): unknown => app.node.tryGetContext(key);
  const responseMode = choice(given, "responseMode", responseModes);
  const accessLogs = choice(given, "accessLogs", accessLogModes);
  const deployment = choice(given, "deployment", deployments);
  const storedVersions = choice(given, "storedVersions", writtenVersions) ?? "current";
  const domain = domainOf(given);
  const unprotect = text(given, "unprotect", /./);
  const accountConcurrency = text(given, "accountConcurrency", /^[1-9]\d{0,6}$/);
  const demoApiKey = text(given, "demoApiKey", demoKey);
  const stage = stageIn(app);
  return {
    stage,
    sources: sourcesFor(stage, given),
    storedVersions,
    reservesConcurrency: choice(given, "reservedConcurrency", ["on", "off"]) !== "off",
    firewall: firewallOf(given, configs[stage].firewallByDefault),
    backups: backupsOf(given, configs[stage].backupsByDefault),
    eventBus: eventBusOf(given),
    analytics: analyticsOf(given),
    ...(responseMode && { responseMode }),
    ...(accessLogs && { accessLogs }),
    ...(deployment && { deployment }),
    ...(domain && { domain }),
    ...(demoApiKey !== undefined && { demoApiKey }),
    ...(unprotect !== undefined && { unprotect }),
    ...(accountConcurrency !== undefined && { accountConcurrency: Number(accountConcurrency) }),
  };
}

type Given = (key: ContextKey) => unknown;

/**
 * Returns the stage in the context; `dev` if it has none.
 * @throws Error for an unknown stage
 */
export function stageIn(app: App): Stage {
  return choice((key) => app.node.tryGetContext(key), "stage", stages) ?? "dev";
}

/**
 * Returns the sources of a deployment.
 * @throws Error if the stage requires sources and the context has none, or if they are invalid
 */
function sourcesFor(stage: Stage, given: Given): Sources {
  const sources = given("sources");
  if (sources === undefined && given("sourcesParameter") === undefined) {
    if (!configs[stage].sandboxByDefault) throw new Error(noSources(stage));
  }
  return sourcesOf(
    {
      sources: sources === "sandbox" ? sandboxSources : sources,
      sourcesParameter: given("sourcesParameter"),
      sourceSecrets: given("sourceSecrets"),
    },
    sandboxSources,
  );
}

const noSources = (stage: Stage): string =>
  `Stage ${stage} has no sources. Set -c sources=<JSON or file> or ` +
  `-c sourcesParameter=<name>, or add either to stages/${stage}.json. ` +
  "-c sources=sandbox serves invented data, for which customers are also charged.";

/**
 * Returns the value of a context key, which must be one of `choices`; undefined if the key is not
 * set. A boolean counts as its text, because cdk.json may contain `true`, and the command line
 * passes `"true"`.
 * @throws Error that names the key and the choices
 */
function choice<Choice extends string>(
  given: Given,
  key: ContextKey,
  choices: readonly Choice[],
): Choice | undefined {
  const value = given(key);
  if (value === undefined) return undefined;
  const word = typeof value === "boolean" ? String(value) : value;
  const chosen = choices.find((candidate) => candidate === word);
  if (chosen !== undefined) return chosen;
  throw new Error(`Context key '${key}' must be ${either(choices)} (got ${formatValue(value)}).`);
}

const either = (choices: readonly string[]): string => `one of: ${choices.join(", ")}`;

/**
 * Returns the value of a context key as text; undefined if the key is not set.
 * @throws Error if the value does not match `pattern`
 */
function text(given: Given, key: ContextKey, pattern: RegExp): string | undefined {
  const value = given(key);
  if (value === undefined) return undefined;
  const word = typeof value === "number" ? String(value) : value;
  if (typeof word === "string" && pattern.test(word)) return word;
  // A refused 'demoApiKey' is not shown, because it may be the key of a customer.
  const got = key === "demoApiKey" ? "" : ` (got ${formatValue(value)})`;
  throw new Error(`Context key '${key}' must be ${contextKeys[key]}${got}.`);
}

/**
 * Returns whether the API has a web ACL.
 * @throws Error if `wafReason` is missing although it is required, or set although it has no use
 */
function firewallOf(given: Given, isDefault: boolean): FirewallChoice {
  const waf = choice(given, "waf", ["true", "false"]);
  const reason = text(given, "wafReason", /^\S.{18,}\S$/);
  if (reason !== undefined && waf !== "false") {
    throw new Error(
      "Context key 'wafReason' is set, but 'waf' is not false. Omit 'wafReason', or set 'waf' to false.",
    );
  }
  if (waf === "true" || (waf === undefined && isDefault)) return { enabled: true };
  if (reason !== undefined) return { enabled: false, reason };
  if (isDefault) {
    throw new Error(
      "If context key 'waf' is false, this stage requires 'wafReason'. Set 'wafReason' to the reason why the stage " +
        "needs no web ACL, as a sentence of at least 20 characters.",
    );
  }
  return { enabled: false };
}

const vaultArn = /^arn:aws[\w-]*:backup:[a-z\d-]+:\d{12}:backup-vault:[\w-]{2,50}$/;

/**
 * Returns whether AWS Backup backs the tables up.
 * @throws Error if the context sets a copy vault although backups are off
 */
function backupsOf(given: Given, isDefault: boolean): BackupChoice {
  const backups = choice(given, "backups", ["on", "off"]) ?? (isDefault ? "on" : "off");
  const copyVaultArn = text(given, "backupCopyVault", vaultArn);
  if (backups === "on") return { enabled: true, ...(copyVaultArn && { copyVaultArn }) };
  if (copyVaultArn === undefined) return { enabled: false };
  throw new Error(
    "Context key 'backupCopyVault' requires 'backups' to be on. Omit 'backupCopyVault', or set 'backups' to on.",
  );
}

/** Matches a number of days from 1 to 3650, which is ten years. */
const archiveDays = /^([1-9]\d{0,2}|[12]\d{3}|3[0-5]\d{2}|36[0-4]\d|3650)$/;

/**
 * Returns the settings of the event bus.
 * @throws Error if the bus is off, but one of its settings is set
 */
function eventBusOf(given: Given): EventBusChoice {
  const isOn = choice(given, "eventBus", ["on", "off"]) === "on";
  const days = text(given, "eventBusArchiveDays", archiveDays);
  const schemas = choice(given, "eventBusSchemas", ["on", "off"]);
  if (isOn) {
    return {
      enabled: true,
      discoversSchemas: schemas === "on",
      ...(days !== undefined && { archiveDays: Number(days) }),
    };
  }
  const needing = days === undefined ? "eventBusSchemas" : "eventBusArchiveDays";
  if (days === undefined && schemas !== "on") return { enabled: false };
  throw new Error(
    `Context key '${needing}' requires 'eventBus' to be on. Omit '${needing}', or set 'eventBus' to on.`,
  );
}

/** Matches the address of a bucket, with any prefix that S3 destinations accept. */
const exportsAddress = /^s3:\/\/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]\/(?:[A-Za-z0-9!_.*()=-]+\/)*$/;

/**
 * Returns whether the deployment has Athena tables.
 * @throws Error if only one of the keys `analytics` and `analyticsExports` is set
 */
function analyticsOf(given: Given): AnalyticsChoice {
  const isOn = choice(given, "analytics", ["on", "off"]) === "on";
  const place = text(given, "analyticsExports", exportsAddress);
  if (isOn && place !== undefined) return { enabled: true, exports: place };
  if (!isOn && place === undefined) return { enabled: false };
  throw new Error(
    isOn
      ? "Context key 'analytics' requires 'analyticsExports'. Set 'analyticsExports' to the bucket and prefix of the S3 destination, such as s3://my-bucket/shop/."
      : "Context key 'analyticsExports' requires 'analytics' to be on. Omit 'analyticsExports', or set 'analytics' to on.",
  );
}

/** Accepts only keys of the demo workspace, because the dashboard publishes the key. */
const demoKey = /^svc_demo_[\dA-Za-z]{38}$/;
const hostName = /^(?=.{4,253}$)([a-z\d]([a-z\d-]{0,61}[a-z\d])?\.)+[a-z]{2,63}$/;
const certificate = /^arn:aws[\w-]*:acm:[a-z\d-]+:\d{12}:certificate\/[\w-]+$/;
const zoneId = /^Z[A-Z\d]{1,31}$/;

/**
 * Returns the custom domain; undefined if the context has none.
 * @throws Error if a key of the domain is missing
 */
function domainOf(given: Given): Domain | undefined {
  const name = text(given, "domainName", hostName);
  const certificateArn = text(given, "certificateArn", certificate);
  const hostedZoneId = text(given, "hostedZoneId", zoneId);
  if (name === undefined) {
    for (const key of ["certificateArn", "hostedZoneId"] as const) {
      if (given(key) !== undefined)
        throw new Error(
          `Context key '${key}' requires 'domainName'. Set 'domainName', or omit '${key}'.`,
        );
    }
    return undefined;
  }
  if (certificateArn === undefined) {
    throw new Error(
      "Context key 'domainName' requires 'certificateArn'. Set 'certificateArn' to the ARN of a certificate in the stack's region, or omit 'domainName'.",
    );
  }
  return { name, certificateArn, ...(hostedZoneId !== undefined && { hostedZoneId }) };
}

/**
 * Throws for an unknown context key that is a misspelling of a known key. Warns of other unknown
 * keys, which may be from the user's ~/.cdk.json. Ignores keys of the CDK and of its lookups, which
 * contain special characters.
 */
function reportUnknownKeys(app: App): void {
  const known = new Set([...Object.keys(contextKeys), ...Object.keys(cdkSettings.context)]);
  const all: unknown = app.node.getAllContext();
  for (const key of Object.keys(Object(all)).filter((name) => !known.has(name))) {
    const meant = Object.keys(contextKeys).find((ours) => plain(ours) === plain(key));
    if (meant !== undefined) {
      throw new Error(`Context key '${key}' is unknown. Did you mean '${meant}'?`);
    }
    if (!/^\w+$/.test(key)) continue;
    Annotations.of(app).addWarningV2(
      `unknown-context:${key}`,
      `Context key '${key}' is unknown and has no effect. Known keys: ${Object.keys(contextKeys).join(", ")}.`,
    );
  }
}

/** Keys for a single command. In a file, they would apply to all later commands. */
const neverInFile: readonly string[] = ["stage", "unprotect"] satisfies ContextKey[];

/**
 * Parses a stage file: a JSON object with context keys. Leaves the check of the values to
 * `readContext`.
 * @param name path of the file, for the error
 * @throws Error if the content is not a JSON object or has an unknown key
 */
export function parseStageFile(name: string, content: string): GivenContext {
  const parsed = jsonIn(content);
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) {
    throw new Error(
      `${name} must be a JSON object of context keys. Check quotes, commas and brackets.`,
    );
  }
  const keys = Object.keys(contextKeys).filter((key) => !neverInFile.includes(key));
  for (const key of Object.keys(parsed)) {
    if (keys.includes(key)) continue;
    throw new Error(
      neverInFile.includes(key)
        ? `${name}: '${key}' is not allowed in a file. Pass it to each command with -c ${key}=<value>.`
        : `${name}: '${key}' is unknown. Known keys: ${keys.join(", ")}.`,
    );
  }
  return parsed;
}

/** Returns the value that a JSON text contains; undefined if the text is not JSON. */
function jsonIn(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    return undefined;
  }
}

const plain = (key: string): string => key.toLowerCase().replaceAll(/[-_]/g, "");
