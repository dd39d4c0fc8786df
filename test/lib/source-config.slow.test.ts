import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Template } from "aws-cdk-lib/assertions";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { environment } from "../../functions/environment.ts";
import { buildApp, stackName } from "../../lib/build-app.ts";
import { type SourceContext, sourcesOf } from "../../lib/source-config.ts";
import { stepScraperIds } from "../../shared/scrapers/catalog.ts";
import {
  actionsOf,
  functionIds,
  resourcesOf,
  roleIdOf,
  statementsOf,
  variablesOf,
} from "./synthesize.ts";
import type { Statement } from "./synthesize.ts";

const canary = "canary-key-02ce";
const secretArn = "arn:aws:secretsmanager:us-east-1:123456789012:secret:sources/d-AbCdEf";
const kmsKeyArn = "arn:aws:kms:us-east-1:123456789012:key/0f0f0f0f-1111-2222-3333-444444444444";
const baseUrl = "https://api.example";
const sandboxes = Object.fromEntries(stepScraperIds.map((id) => [id, { adapter: "sandbox" }]));
const sources = JSON.stringify({
  ...sandboxes,
  "retailer_c.standard": { adapter: "upstream", baseUrl, secret: "/sources/c" },
  "retailer_d.standard": {
    adapter: "d_catalog",
    baseUrl,
    secret: { reference: secretArn, kmsKeyArn },
  },
});
const readers = ["mcp", "offers", "products", "run-step", "watchlists"];

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "sources-"));
});
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => {
  delete process.env["CDK_CONTEXT_JSON"];
});

function serviceWith(context?: SourceContext): Template {
  const outdir = mkdtempSync(join(folder, "synth-"));
  const app = buildApp({
    bundle: false,
    outdir,
    context: { ...context, stage: "dev" },
  });
  const { template } = app.synth().getStackByName(stackName("dev", "service"));
  return Template.fromJSON(template as object);
}

interface SourceGrants {
  readonly variable: unknown;
  readonly statements: readonly Statement[];
}

/**
 * Returns the variable SOURCES of every function that has this variable, with the function's
 * permissions.
 */
function bySource(service: Template): Map<string, SourceGrants> {
  const functions = resourcesOf(service, "AWS::Lambda::Function");
  return new Map(
    [...functionIds(service)].flatMap(([name, id]) => {
      const properties = functions[id]?.Properties ?? {};
      const variable = variablesOf(properties)["SOURCES"];
      const statements = statementsOf(service, roleIdOf(properties));
      return variable === undefined ? [] : [[name, { variable, statements }] as const];
    }),
  );
}

/** Actions that read or decrypt secrets, with their resources. */
const openings = (statements: readonly Statement[]): Record<string, unknown> =>
  Object.fromEntries(
    statements.flatMap((statement) =>
      actionsOf(statement)
        .filter((action) => /^(secretsmanager|ssm|kms):/.test(action))
        .map((action) => [action, statement.Resource]),
    ),
  );

const parameterArn = {
  "Fn::Join": [
    "",
    [
      "arn:",
      { Ref: "AWS::Partition" },
      ":ssm:",
      { Ref: "AWS::Region" },
      ":",
      { Ref: "AWS::AccountId" },
      ":parameter/sources/c",
    ],
  ],
};

const allowed = {
  "kms:Decrypt": kmsKeyArn,
  "secretsmanager:GetSecretValue": secretArn,
  "ssm:GetParameter": parameterArn,
};

describe("the source configuration at synthesis", () => {
  it("uses the sandbox by default, which needs no secret", () => {
    const found = bySource(serviceWith());
    expect([...found.keys()].toSorted()).toEqual(readers);
    for (const { variable, statements } of found.values()) {
      expect(JSON.parse(variable as string)).toEqual(sandboxes);
      expect(openings(statements)).toEqual({});
    }
  });

  it("allows functions that read sources to read exactly the secrets that the configuration names", () => {
    const service = serviceWith({ sources });
    for (const { variable, statements } of bySource(service).values()) {
      expect(variable).toBe(sources);
      expect(openings(statements)).toEqual(allowed);
    }
    const functions = resourcesOf(service, "AWS::Lambda::Function");
    for (const [name, id] of functionIds(service)) {
      if (readers.includes(name)) continue;
      const granted = statementsOf(service, roleIdOf(functions[id]?.Properties ?? {}));
      expect(JSON.stringify(granted)).not.toContain(secretArn);
      expect(Object.keys(environment)).toContain(name);
    }
  });

  it("allows functions that read sources to update the shared rate limit", () => {
    for (const { statements } of bySource(serviceWith({ sources })).values()) {
      const updates = statements.filter((one) => actionsOf(one).includes("dynamodb:UpdateItem"));
      expect(JSON.stringify(updates)).toContain("AccountsTable");
    }
  });

  it("can be set in a file or in the context of the command line", () => {
    const file = join(folder, "sources.json");
    writeFileSync(file, sources);
    process.env["CDK_CONTEXT_JSON"] = JSON.stringify({ sources: file });
    expect(bySource(serviceWith()).get("products")?.variable).toBe(sources);
    process.env["CDK_CONTEXT_JSON"] = JSON.stringify({ sources });
    expect(bySource(serviceWith()).get("products")?.variable).toBe(sources);
  });

  it("is stored without unnecessary whitespace", () => {
    const file = join(folder, "laid-out.json");
    writeFileSync(file, JSON.stringify(JSON.parse(sources), null, 4));
    expect(bySource(serviceWith({ sources: file })).get("products")?.variable).toBe(sources);
  });

  it("is refused if the environment variables would exceed the size that Lambda allows", () => {
    // Finds the longest URL template that is accepted.
    let length = 4_000;
    while (!isTaken(length)) length -= 1;
    expect(isTaken(length + 1)).toBe(false);
    const service = serviceWith({ sources: ofLength(length) });
    const functions = resourcesOf(service, "AWS::Lambda::Function");
    for (const name of readers) {
      const id = functionIds(service).get(name) ?? "";
      const variables = variablesOf(functions[id]?.Properties ?? {});
      const longest = Object.entries(variables).map(([key, value]) => [
        key,
        typeof value === "string" ? value : longestGenerated(key),
      ]);
      const bytes = JSON.stringify(Object.fromEntries(longest)).length;
      expect(bytes).toBeGreaterThan(2_800);
      expect(bytes).toBeLessThanOrEqual(4_096);
    }
    // The limit is not too strict: sources of more than 2,100 characters fit.
    expect(JSON.stringify(ofLength(length)).length).toBeGreaterThan(2_100);
  });

  it("can be stored in a parameter that is read at deployment", () => {
    const service = serviceWith({
      sourcesParameter: "/retail/sources",
      sourceSecrets: `${secretArn},/sources/c,${kmsKeyArn}`,
    });
    const found = bySource(service);
    const parameters = service.toJSON()["Parameters"] as Record<string, unknown>;
    for (const { variable, statements } of found.values()) {
      const { Ref: ref } = variable as { Ref: string };
      expect(parameters[ref]).toEqual({
        Type: "AWS::SSM::Parameter::Value<String>",
        Default: "/retail/sources",
      });
      expect(openings(statements)).toEqual(allowed);
    }
  });

  it.each([
    [
      /^SOURCES: retailer_d\.standard\.baseUrl: must be an https/,
      { sources: catalog({ baseUrl: canary }) },
    ],
    [/^SOURCES: retailer_d\.standard\.secret: /, { sources: catalog({ baseUrl, secret: canary }) }],
    [/works only on a developer's machine/, { sources: catalog({ baseUrl, secret: "env:K" }) }],
    [
      /^SOURCES has \d+ bytes, but a function has room for only [23]\d{3} bytes besides/,
      { sources: ofLength(4_000) },
    ],
    [/^SOURCES is not valid JSON/, { sources: `{${canary}` }],
    [/^Context key 'sources' must be a JSON object or the path/, { sources: canary }],
    [/are both set/, { sources, sourcesParameter: "/a" }],
    [/^Context key 'sourcesParameter' must be the name/, { sourcesParameter: `${canary}?` }],
    [/^Context key 'sourceSecrets' must list/, { sourcesParameter: "/a", sourceSecrets: canary }],
    [/^Context key 'sourceSecrets' requires 'sourcesParameter'/, { sourceSecrets: secretArn }],
  ] as const)(
    "is refused with an error that matches the pattern %s and contains no configured value",
    (message, context) => {
      const synthesis = (): unknown => serviceWith(context);
      expect(synthesis).toThrow(message);
      expect(synthesis).toThrow(new RegExp(`^(?![^]*${canary})`));
    },
  );
});

function catalog(options: Readonly<Record<string, unknown>>): string {
  const source = { adapter: "d_catalog", ...options };
  return JSON.stringify({ ...sandboxes, "retailer_d.standard": source });
}

/** Sources whose configuration contains a value of the given length. */
function ofLength(letters: number): string {
  const urlTemplate = `https://shop.example/${"p".repeat(letters)}/{id}`;
  const userAgent = "product-reader/1.0 (+mailto:ops@team.example)";
  const source = { adapter: "web", urlTemplate, userAgent };
  return JSON.stringify({ ...sandboxes, "retailer_d.standard": source });
}

function isTaken(letters: number): boolean {
  try {
    sourcesOf({ sources: ofLength(letters) }, {});
    return true;
  } catch {
    return false;
  }
}

/** Returns a generated name of the maximum length. */
function longestGenerated(variable: string): string {
  const stack = stackName("prod", "data");
  if (variable.endsWith("_TABLE")) return `${stack}-${"L".repeat(60)}-${"X".repeat(13)}`;
  // The name of a role has at most 64 characters.
  if (variable.endsWith("_ROLE_ARN"))
    return `arn:aws-us-gov:iam::123456789012:role/${"r".repeat(64)}`;
  if (variable === "API_URL") return `https://${"d".repeat(140)}.example/`;
  if (!variable.endsWith("_URL")) throw new Error(`${variable} is of no known kind`);
  // The name of a queue has at most 80 characters.
  return `https://sqs.us-gov-west-1.amazonaws.com/123456789012/${"q".repeat(80)}`;
}
