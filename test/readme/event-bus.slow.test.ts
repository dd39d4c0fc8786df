import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { App, SecretValue, Stack } from "aws-cdk-lib";
import { Template } from "aws-cdk-lib/assertions";
import { Code, Function as LambdaFunction, type IFunction, Runtime } from "aws-cdk-lib/aws-lambda";
import type { Construct } from "constructs";
import { transformSync } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildApp } from "../../lib/build-app.ts";
import { busSource } from "../../shared/event-bus/event-bus.ts";
import { entryOfEvent } from "../../shared/event-bus/entry-of-event.ts";
import {
  eventChanged,
  eventDelisted,
  eventMatched,
  runCompletedEvent,
} from "../../tools/documents/examples/events.ts";
import { matchesPattern, parsePattern } from "../../tools/local/event-pattern.ts";
import { installPython } from "../../tools/python/install.ts";
import { codeBlocks } from "./code-blocks.ts";
import { root } from "./pages.ts";

const page = "docs/event-bus.md";
const failedRun = { ...runCompletedEvent, data: { ...runCompletedEvent.data, status: "failed" } };
const events = [eventChanged, eventMatched, eventDelisted, runCompletedEvent, failedRun];

/** Returns an event as EventBridge gives it to rules. */
function onBus(event: (typeof events)[number]) {
  const { id, type, created_at: createdAt } = event;
  const entry = entryOfEvent({
    event: { id, type, createdAt } as Parameters<typeof entryOfEvent>[0]["event"],
    watchlistId: event.data.watchlist_id,
    body: JSON.stringify(event),
    apiUrl: "https://api.example.com/",
  });
  return {
    source: busSource,
    "detail-type": entry.type,
    resources: [entry.watchlistId],
    detail: JSON.parse(entry.detail) as unknown,
  };
}

/** Returns the events that a pattern selects, as indexes of `events`. */
function selected(pattern: unknown): readonly number[] {
  const parsed = parsePattern(JSON.stringify(pattern));
  if (parsed === null) throw new Error(`The matcher does not know ${JSON.stringify(pattern)}.`);
  return events.flatMap((event, index) => (matchesPattern(parsed, onBus(event)) ? [index] : []));
}

/** Returns the content that a target with this input transformer receives for an event. */
function transformed(
  transformer: { readonly InputPathsMap: Record<string, string>; readonly InputTemplate: string },
  event: unknown,
): unknown {
  const values = Object.entries(transformer.InputPathsMap).map(([name, path]) => {
    const value = path
      .split(".")
      .slice(1)
      .reduce<unknown>((part, key) => (part as Record<string, unknown>)[key], event);
    expect(value, path).toBeTypeOf("string");
    return [name, String(value)] as const;
  });
  const text = transformer.InputTemplate.replaceAll(/<([\w-]+)>/g, (all, name: string) => {
    const [, value] = values.find(([known]) => known === name) ?? [];
    expect(value, all).toBeDefined();
    return value ?? "";
  });
  return JSON.parse(text);
}

interface Command {
  readonly service: string;
  readonly operation: string;
  /** The values of the options by name, without the dashes. */
  readonly options: Readonly<Record<string, string>>;
}

/** Runs the blocks of the page in a shell whose `aws` prints its arguments. */
function commandsOf(code: string): readonly Command[] {
  const print = "console.log(JSON.stringify(process.argv.slice(1)))";
  const aws = `aws() { "${process.execPath}" -e '${print}' -- "$@"; }`;
  const printed = execFileSync("bash", ["-eu", "-c", `${aws}\n${code}`], { encoding: "utf8" });
  return printed
    .trim()
    .split("\n")
    .map((line) => {
      const [service = "", operation = "", ...words] = JSON.parse(line) as string[];
      const options: Record<string, string> = {};
      for (let n = 0; n < words.length; n += 2) {
        expect(words[n]).toMatch(/^--[a-z-]+$/);
        options[words[n]?.slice(2) ?? ""] = words[n + 1] ?? "";
      }
      return { service, operation, options };
    });
}

const commands = codeBlocks(page, "sh aws").flatMap(commandsOf);
const patternOf = (rule: string): unknown => {
  const found = commands.find(
    ({ operation, options }) => operation === "put-rule" && options["name"] === rule,
  );
  return JSON.parse(found?.options["event-pattern"] ?? "null");
};

/** Validates the options of commands with the service models of AWS. Prints the errors as JSON. */
const validation = `
import json, re, sys
import botocore.session
from botocore import xform_name
from botocore.validate import ParamValidator

def value_of(text, shape):
    if shape.type_name == "string":
        return text
    if text[:1] in "[{":
        return json.loads(text)
    if shape.type_name == "list":
        return [value_of(text, shape.member)]
    if shape.type_name == "structure":
        return dict(one.split("=", 1) for one in text.split(","))
    return text

errors = []
for command in json.load(sys.stdin):
    model = botocore.session.get_session().get_service_model(command["service"])
    names = {xform_name(one, "-"): one for one in model.operation_names}
    if command["operation"] not in names:
        errors.append(f"no operation {command['operation']}")
        continue
    shape = model.operation_model(names[command["operation"]]).input_shape
    members = {xform_name(one, "-"): one for one in shape.members}
    params = {}
    for name, text in command["options"].items():
        # The AWS CLI has another name for this parameter.
        member = members.get({"notification-endpoint": "endpoint"}.get(name, name))
        if member is None:
            errors.append(f"no option --{name} of {command['operation']}")
        else:
            params[member] = value_of(text, shape.members[member])
    report = ParamValidator().validate(params, shape)
    if report.has_errors():
        errors.append(report.generate_report())
print(json.dumps(errors))
`;

describe("the commands of docs/event-bus.md", () => {
  it("create rules that match exactly the events that the page names", () => {
    expect(selected(patternOf("price-changes"))).toEqual([0]);
    expect(selected(patternOf("runs-completed"))).toEqual([3, 4]);
  });

  it("transform an event to a text for an SNS topic", () => {
    const target = commands.find(({ options }) => options["targets"]?.startsWith("["));
    const [{ InputTransformer: transformer }] = JSON.parse(target?.options["targets"] ?? "");
    expect(transformed(transformer, onBus(failedRun))).toBe(
      `A run of ${failedRun.data.watchlist_id} ended: failed.`,
    );
  });

  it("use only operations and options that the service models of AWS contain", async ({ skip }) => {
    const python = await installPython({
      cache: join(root, "node_modules/.cache"),
      name: "deploy-smoke",
      requirements: join(root, "scripts/deploy-smoke/requirements.txt"),
    });
    if (python.outcome === "absent") {
      skip(`The models of AWS were not read: ${python.why}`);
      return;
    }
    expect(commands.length).toBeGreaterThan(6);
    const input = JSON.stringify(commands);
    const printed = execFileSync(python.python, ["-c", validation], { input, encoding: "utf8" });
    expect(JSON.parse(printed)).toEqual([]);
  });
});

interface PageCode {
  readonly PriceChanges: new (scope: Construct, id: string) => Stack;
  readonly invokeFor: (scope: Construct, watchlistId: string, handler: IFunction) => unknown;
  readonly RunsToSlack: new (
    scope: Construct,
    id: string,
    props: { readonly channel: string; readonly token: SecretValue },
  ) => Construct;
}

describe("the CDK code of docs/event-bus.md", () => {
  // Modules of this folder find the packages of the project.
  const folder = join(root, "node_modules/.cache/event-bus-page");
  let code: PageCode;
  beforeAll(async () => {
    mkdirSync(folder, { recursive: true });
    const modules = codeBlocks(page, "ts").map(async (source, index) => {
      const file = join(folder, `${index}.mjs`);
      writeFileSync(file, transformSync(source, { loader: "ts", target: "es2022" }).code);
      return (await import(file)) as Partial<PageCode>;
    });
    code = Object.assign({}, ...(await Promise.all(modules))) as PageCode;
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const ruleOf = (template: Template): Record<string, unknown> => {
    const [rule] = Object.values(template.findResources("AWS::Events::Rule"));
    const properties = (rule as { Properties: Record<string, unknown> }).Properties;
    expect(properties["EventBusName"]).toBe("retail-product-data-prod");
    return properties;
  };

  it("sends price changes to a queue, and allows the rule to send to the queue", () => {
    const template = Template.fromStack(new code.PriceChanges(new App(), "PriceChanges"));
    expect(selected(ruleOf(template)["EventPattern"])).toEqual([0]);
    template.hasResourceProperties("AWS::SQS::QueuePolicy", {});
  });

  it("invokes a function for each event of one watchlist, and for no other event", () => {
    const stack = new Stack(new App(), "Function");
    const handler = new LambdaFunction(stack, "Handler", {
      runtime: Runtime.NODEJS_24_X,
      handler: "index.handler",
      code: Code.fromInline("exports.handler = async () => {};"),
    });
    code.invokeFor(stack, eventChanged.data.watchlist_id, handler);
    const pattern = ruleOf(Template.fromStack(stack))["EventPattern"];
    expect(selected(pattern)).toEqual([0, 1, 2, 3, 4]);
    expect(JSON.stringify(pattern)).toContain(eventChanged.data.watchlist_id);
  });

  it("sends a line to Slack only for a run that failed or had too few credits", () => {
    const stack = new Stack(new App(), "Slack");
    const token = SecretValue.unsafePlainText("Bearer xoxb-1");
    const runs = new code.RunsToSlack(stack, "Runs", { channel: "#prices", token });
    const rule = ruleOf(Template.fromStack(Stack.of(runs)));
    expect(selected(rule["EventPattern"])).toEqual([4]);
    const [target] = rule["Targets"] as readonly Record<
      string,
      Parameters<typeof transformed>[0]
    >[];
    const transformer = target?.["InputTransformer"];
    expect(transformer && transformed(transformer, onBus(failedRun))).toEqual({
      channel: "#prices",
      text: `A run of ${failedRun.data.watchlist_id} ended: failed.`,
    });
  });
});

describe("the JSON samples of docs/event-bus.md", () => {
  const [context = "", reference = ""] = codeBlocks(page, "json");

  it("create the bus and the archive that the other samples name", () => {
    const outdir = mkdtempSync(join(tmpdir(), "event-bus-page-"));
    try {
      const given = { stage: "prod", sources: "sandbox", ...JSON.parse(context) };
      const { stacks } = buildApp({ bundle: false, outdir, context: given }).synth();
      const resources = JSON.stringify(stacks.map(({ template }) => template));
      expect(resources).toContain('"Type":"AWS::Events::EventBus"');
      expect(resources).toContain('"ArchiveName":"retail-product-data-prod"');
      expect(resources).toContain('"RetentionDays":30');
    } finally {
      rmSync(outdir, { recursive: true });
    }
  });

  it("show exactly the fields of an event that is sent by reference", () => {
    const large = { ...eventChanged, data: { ...eventChanged.data, note: "x".repeat(260_000) } };
    const { detail } = onBus(large);
    expect(Object.keys(JSON.parse(reference))).toEqual(Object.keys(detail as object));
    const { url, id } = JSON.parse(reference) as { readonly url: string; readonly id: string };
    expect(url).toBe(`https://api.example.com/v1/events/${id}`);
  });
});
