import type { App } from "aws-cdk-lib";
import { Annotations } from "aws-cdk-lib";
import cdkSettings from "../cdk.json" with { type: "json" };
import { accessLogModes, configs, responseModes, sandboxSources, stages } from "./config.ts";
import type { AccessLogMode, ResponseMode, Stage } from "./config.ts";
import { sourcesOf } from "./source-config.ts";
import type { Sources } from "./source-config.ts";

/**
 * Every key that `-c key=value` or a stage's file may give, and what of. What changes more than one construct is read
 * here; the rest is read, and checked, by the construct that it is about.
 */
const contextKeys = {
  stage: `one of ${stages.join(", ")}`,
  responseMode: `one of ${responseModes.join(", ")}`,
  sources: "sandbox, JSON, or the path of a file that holds it",
  sourcesParameter: "the name of an SSM parameter",
  sourceSecrets: "references to secrets, separated by commas",
  accessLogs: `one of ${accessLogModes.join(", ")}`,
  reservedConcurrency: "on or off",
  accountConcurrency: "the account's quota of Lambda invocations at once, such as 50",
  waf: "true or false",
  domainName: "a host name, such as api.example.com",
  certificateArn: "the ARN of a certificate in the stack's region",
  hostedZoneId: "the id of the Route 53 zone that answers for the domain",
  unprotect: "the name of the data stack that may lose its data",
  demoApiKey: "a key of the demo workspace, which begins with svc_demo_",
  alarmEmail: "an e-mail address",
  runbookUrl: "the https address of docs/operate.md in a browser",
} as const;
export type ContextKey = keyof typeof contextKeys;

/** Values as the command line gives them, or as cdk.json may. */
export type GivenContext = Readonly<Partial<Record<ContextKey, unknown>>>;

/** The address that clients use instead of the gateway's own. */
export interface Domain {
  readonly name: string;
  readonly certificateArn: string;
  /** Where the alias record goes; without it somebody else keeps the record. */
  readonly hostedZoneId?: string;
}

/** What one deployment wants other than its stage's configuration. */
export interface Context {
  readonly stage: Stage;
  readonly responseMode?: ResponseMode;
  readonly accessLogs?: AccessLogMode;
  readonly sources: Sources;
  /** False gives no function a share of its own. */
  readonly reservesConcurrency: boolean;
  /** The account's quota of invocations at once. */
  readonly accountConcurrency?: number;
  readonly firewall: boolean;
  readonly domain?: Domain;
  /** Everybody may read it: the dashboard hands it out. */
  readonly demoApiKey?: string;
  /** The data stack that is to lose its protection. */
  readonly unprotect?: string;
}

/**
 * Reads and checks what a deployment was told.
 * @throws Error that names the key at fault and what it takes; never a value of `sources`, which may
 *   hold a secret
 */
export function readContext(app: App): Context {
  reportUnknownKeys(app);
  const given = (key: ContextKey): unknown => app.node.tryGetContext(key);
  const responseMode = choice(given, "responseMode", responseModes);
  const accessLogs = choice(given, "accessLogs", accessLogModes);
  const domain = domainOf(given);
  const unprotect = text(given, "unprotect", /./);
  const accountConcurrency = text(given, "accountConcurrency", /^[1-9]\d{0,6}$/);
  const demoApiKey = text(given, "demoApiKey", demoKey);
  const stage = stageIn(app);
  return {
    stage,
    sources: sourcesFor(stage, given),
    reservesConcurrency: choice(given, "reservedConcurrency", ["on", "off"]) !== "off",
    firewall: choice(given, "waf", ["true", "false"]) === "true",
    ...(responseMode && { responseMode }),
    ...(accessLogs && { accessLogs }),
    ...(domain && { domain }),
    ...(demoApiKey !== undefined && { demoApiKey }),
    ...(unprotect !== undefined && { unprotect }),
    ...(accountConcurrency !== undefined && { accountConcurrency: Number(accountConcurrency) }),
  };
}

type Given = (key: ContextKey) => unknown;

/** The stage that the command line names. */
export function stageIn(app: App): Stage {
  return choice((key) => app.node.tryGetContext(key), "stage", stages) ?? "dev";
}

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
  `Nothing says what stage ${stage} reads from. Give -c sources=<JSON or file> or ` +
  `-c sourcesParameter=<name>, or write either into stages/${stage}.json. ` +
  "-c sources=sandbox serves invented data, for which customers are charged all the same.";

/** cdk.json may say `true` where the command line says `"true"`. */
function choice<Choice extends string>(
  given: Given,
  key: ContextKey,
  choices: readonly Choice[],
): Choice | undefined {
  const value = given(key);
  if (value === undefined) return undefined;
  const word = typeof value === "boolean" ? String(value) : value;
  const chosen = choices.find((candidate) => candidate === word);
  if (chosen === undefined) throw new Error(`Context '${key}' must be ${either(choices)}.`);
  return chosen;
}

const either = (choices: readonly string[]): string => `one of: ${choices.join(", ")}`;

function text(given: Given, key: ContextKey, pattern: RegExp): string | undefined {
  const value = given(key);
  if (value === undefined) return undefined;
  const word = typeof value === "number" ? String(value) : value;
  if (typeof word === "string" && pattern.test(word)) return word;
  throw new Error(`Context '${key}' must be ${contextKeys[key]}.`);
}

/** A key of an account proper would hand that account to everybody. */
const demoKey = /^svc_demo_[\dA-Za-z]{38}$/;
const hostName = /^(?=.{4,253}$)([a-z\d]([a-z\d-]{0,61}[a-z\d])?\.)+[a-z]{2,63}$/;
const certificate = /^arn:aws[\w-]*:acm:[a-z\d-]+:\d{12}:certificate\/[\w-]+$/;
const zoneId = /^Z[A-Z\d]{1,31}$/;

function domainOf(given: Given): Domain | undefined {
  const name = text(given, "domainName", hostName);
  const certificateArn = text(given, "certificateArn", certificate);
  const hostedZoneId = text(given, "hostedZoneId", zoneId);
  if (name === undefined) {
    for (const key of ["certificateArn", "hostedZoneId"] as const) {
      if (given(key) !== undefined) throw new Error(`Context '${key}' goes with 'domainName'.`);
    }
    return undefined;
  }
  if (certificateArn === undefined) {
    throw new Error("Context 'domainName' needs 'certificateArn', of the stack's region.");
  }
  return { name, certificateArn, ...(hostedZoneId !== undefined && { hostedZoneId }) };
}

/**
 * A key that nobody reads is most likely one that was mistyped. Keys of the CDK itself and of its
 * lookups hold marks that ours do not; any other may belong to the user's own ~/.cdk.json.
 */
function reportUnknownKeys(app: App): void {
  const known = new Set([...Object.keys(contextKeys), ...Object.keys(cdkSettings.context)]);
  const all: unknown = app.node.getAllContext();
  for (const key of Object.keys(Object(all)).filter((found) => !known.has(found))) {
    const meant = Object.keys(contextKeys).find((ours) => plain(ours) === plain(key));
    if (meant !== undefined) throw new Error(`Context '${key}' is unknown: '${meant}' is meant.`);
    if (!/^\w+$/.test(key)) continue;
    Annotations.of(app).addWarningV2(
      `unknown-context:${key}`,
      `Nothing reads the context '${key}'. Known are: ${Object.keys(contextKeys).join(", ")}.`,
    );
  }
}

/** These belong to one command only: a file that gave them would give them to all that follow. */
const neverInFile: readonly string[] = ["stage", "unprotect"] satisfies ContextKey[];

/**
 * The context of a stage's file: a JSON object with the keys that `-c` takes, so that nobody has to
 * repeat them. Values are checked with all others.
 * @throws Error when it is no such object
 */
export function parseStageFile(name: string, content: string): GivenContext {
  const parsed = jsonIn(content);
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) {
    throw new Error(`${name} must be a JSON object with context keys.`);
  }
  const keys = Object.keys(contextKeys).filter((key) => !neverInFile.includes(key));
  for (const key of Object.keys(parsed)) {
    if (keys.includes(key)) continue;
    throw new Error(
      neverInFile.includes(key)
        ? `${name}: '${key}' is given by -c, to one command at a time.`
        : `${name}: '${key}' is unknown. Known are: ${keys.join(", ")}.`,
    );
  }
  return parsed;
}

function jsonIn(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    return undefined;
  }
}

const plain = (key: string): string => key.toLowerCase().replaceAll(/[-_]/g, "");
