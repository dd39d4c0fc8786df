import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  shortenVisibility,
  simplifyAlarms,
} from "../../../scripts/deploy-smoke/emulator-templates.ts";

let assembly = "";

beforeEach(() => {
  assembly = mkdtempSync(join(tmpdir(), "assembly-"));
});
afterEach(() => {
  rmSync(assembly, { recursive: true, force: true });
});

const metric = { MetricName: "Errors", Namespace: "AWS/Lambda", Dimensions: [{ Name: "F" }] };
const simple = { Type: "AWS::CloudWatch::Alarm", Properties: { MetricName: "Depth", Period: 60 } };

function simplified(alarm: unknown): any {
  const file = join(assembly, "One.template.json");
  const text = JSON.stringify({ Outputs: { A: 1 }, Resources: { Alarm: alarm, simple } });
  writeFileSync(file, text);
  for (const name of manifests) writeFileSync(join(assembly, name), `{"key":"${hashOf(text)}"}`);
  const summary = simplifyAlarms(assembly);
  return { ...JSON.parse(readFileSync(file, "utf8")), summary };
}

const manifests = ["manifest.json", "One.assets.json"];
const hashOf = (text: string) => createHash("sha256").update(text).digest("hex");

const expressionOn = (stat: string) => ({
  Type: "AWS::CloudWatch::Alarm",
  Properties: {
    Threshold: 5,
    AlarmActions: ["topic"],
    Metrics: [
      { Id: "e", Expression: "100 * m / n" },
      { Id: "m", MetricStat: { Metric: metric, Period: 300, Stat: stat }, ReturnData: false },
    ],
  },
});

test("the template adapter of the smoke test replaces an alarm on an expression with an alarm on its first metric, and changes nothing else", () => {
  const { Resources, Outputs, summary } = simplified(expressionOn("Sum"));
  expect(Resources.Alarm).toEqual({
    Type: "AWS::CloudWatch::Alarm",
    Properties: { Threshold: 5, AlarmActions: ["topic"], ...metric, Period: 300, Statistic: "Sum" },
  });
  expect(Resources.simple).toEqual(simple);
  expect(Outputs).toEqual({ A: 1 });
  expect(summary).toContain("1 alarm ");
});

test("the template adapter of the smoke test shortens the visibility timeouts of queues, and adds no timeout to a queue that has none", () => {
  const queue = (Properties: object) => ({ Type: "AWS::SQS::Queue", Properties });
  const Resources = {
    A: queue({ VisibilityTimeout: 1_080, Name: "a" }),
    B: queue({ Name: "b" }),
    simple,
  };
  const file = join(assembly, "One.template.json");
  writeFileSync(file, JSON.stringify({ Resources }));
  expect(shortenVisibility(assembly)).toContain("1 queue,");
  expect(JSON.parse(readFileSync(file, "utf8")).Resources).toEqual({
    ...Resources,
    A: queue({ VisibilityTimeout: 45, Name: "a" }),
  });
});

test("the template adapter of the smoke test names a changed template after the hash of its new content", () => {
  simplified(expressionOn("Sum"));
  const now = hashOf(readFileSync(join(assembly, "One.template.json"), "utf8"));
  for (const name of manifests) {
    expect(JSON.parse(readFileSync(join(assembly, name), "utf8"))).toEqual({ key: now });
  }
});

test("the template adapter of the smoke test keeps the percentile of an alarm's metric", () => {
  const { Properties } = simplified(expressionOn("p99")).Resources.Alarm;
  expect(Properties).toMatchObject({ ExtendedStatistic: "p99" });
  expect(Properties).not.toHaveProperty("Statistic");
});

test("the template adapter of the smoke test refuses an alarm whose expressions have no metric", () => {
  const alarm = { Type: "AWS::CloudWatch::Alarm", Properties: { Metrics: [{ Expression: "1" }] } };
  expect(() => simplified(alarm)).toThrow("An alarm contains expressions, but no metric");
});
