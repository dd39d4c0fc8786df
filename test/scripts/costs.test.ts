import { describe, expect, it } from "vitest";
import {
  assumptionOptions,
  billedMs,
  readAssumptions,
  sourceMs,
} from "../../scripts/costs/assumptions.ts";
import { logMeter } from "../../scripts/costs/log-meter.ts";
import { memoryRows } from "../../scripts/costs/memory-sizes.ts";
import { alarmMetrics, busMonth, firewallRules } from "../../scripts/costs/standing.ts";
import { sizeOf } from "../../scripts/costs/stored-bytes.ts";
import { busRows, callRows, listMonth, listRows } from "../../scripts/costs/tables.ts";
import { pageText } from "../readme/pages.ts";
import { parseOptions } from "../../tools/command-line/command-line.ts";
import { dollarsOf, lambdaUsage, sumOf, times } from "../../scripts/measure/usage.ts";

describe("the cost calculation in dollars", () => {
  it("multiplies quantities by their unit prices", () => {
    // Dollars per million: 4 * 0.625 + 2 * 0.125 + 3.50 + 0.20.
    const call = { dynamoWriteUnit: 4, dynamoReadUnit: 2, gatewayRequest: 1, lambdaRequest: 1 };

    expect(dollarsOf(times(call, 1_000_000))).toBeCloseTo(6.45, 10);
    expect(dollarsOf(call, ["dynamoWriteUnit"])).toBeCloseTo(2.5e-6, 12);
    expect(dollarsOf({})).toBe(0);
  });

  it("returns the price of the sum of several usages", () => {
    const sum = sumOf([{ sqsRequest: 3, s3Put: 1 }, { sqsRequest: 2 }]);

    expect(sum).toEqual({ sqsRequest: 5, s3Put: 1 });
    expect(dollarsOf(sum)).toBeCloseTo(5 * 0.4e-6 + 5e-6, 12);
  });

  it("charges Lambda for the product of memory and time, and for each request", () => {
    const work = { invocations: 1_000, milliseconds: 60_000, memoryMegabytes: 512 };
    // 30 GB-seconds at 0.0000133334 dollars, and 1,000 requests at 0.0000002 dollars.
    expect(dollarsOf(lambdaUsage(work))).toBeCloseTo(0.000_400_002 + 0.000_2, 12);
  });
});

describe("the cost estimate of a function's duration", () => {
  const assumptions = readAssumptions({});

  it("is the sum of the waiting times and of the CPU time at the given memory", () => {
    const work = { cpuMs: 10, awsRequests: 3, waitsMs: 1_000 };

    expect(billedMs({ ...work, memoryMegabytes: 3_008 }, { ...assumptions, awsMs: 5 })).toBe(1_025);
    const slow = billedMs({ ...work, memoryMegabytes: 512 }, { ...assumptions, awsMs: 5 });
    expect(slow).toBeCloseTo(1_015 + (10 * 1_769) / 512, 10);
  });

  it("includes the read time of the source, which is proportional to the number of IDs and at least one second", () => {
    expect(sourceMs("retailer_a.pulse", 10_000, assumptions)).toBe(15_000);
    expect(sourceMs("retailer_a.lite", 500, assumptions)).toBe(10_000);
    expect(sourceMs("retailer_a.pulse", 1, assumptions)).toBe(1_000);
    const slow = readAssumptions({ "source-times": "2" });
    expect(sourceMs("retailer_a.full", 2_000, slow)).toBe(150_000);
  });

  it("refuses unknown options and values that are not numbers", () => {
    expect(() => parseOptions(["--speed", "2"], assumptionOptions)).toThrow("--speed");
    expect(() => readAssumptions({ "aws-ms": "fast" })).toThrow(
      "--aws-ms must be a number of 0 or more",
    );
    expect(() => readAssumptions({ "aws-ms": "-1" })).toThrow(
      "--aws-ms must be a number of 0 or more",
    );
  });
});

describe("the cost tables", () => {
  const gigabyte = 2 ** 30;
  const costs = {
    items: 50_000,
    baseline: {},
    sweep: { dynamoWriteUnit: 5_000 },
    refresh: { dynamoWriteUnit: 5_000, lambdaGigabyteSecond: 1_000 },
    sweeperPass: {},
    listBytes: gigabyte,
    sweepBytes: { expiringPerMonth: gigabyte / 720, objects: 2 * (gigabyte / 720) },
  };

  it("show the cost of a million calls of each kind, with a column for each billed service that a kind of call uses", () => {
    const light = { name: "light", billedMs: 12.4, usage: { gatewayRequest: 1 } };
    const heavy = { ...light, name: "heavy", usage: { gatewayRequest: 2, logGigabyte: 1e-6 } };

    expect(callRows([light, heavy])).toEqual([
      {
        "1,000,000 calls": "light",
        "billed ms": 12,
        gateway: "3.50",
        logs: "0.00",
        dollars: "3.50",
      },
      {
        "1,000,000 calls": "heavy",
        "billed ms": 12,
        gateway: "7.00",
        logs: "0.50",
        dollars: "7.50",
      },
    ]);
  });

  it("show the monthly cost of a watchlist: its sweep runs, refreshes and stored bytes", () => {
    const month = listMonth(costs, { everyMinutes: 60, refreshEveryRuns: 8 });

    // 720 runs, including 90 refreshes; the watchlist's rows and a GB that its runs store.
    expect(month.dynamoWriteUnit).toBeCloseTo(720 * 5_000, 6);
    expect(month.lambdaGigabyteSecond).toBeCloseTo(90 * 1_000, 6);
    expect(month.dynamoGigabyteMonth).toBeCloseTo(2, 6);
    expect(month.s3GigabyteMonth).toBeCloseTo(2, 6);
    // Dollars: 2.25 + 1.20 + 2 * (0.25 + 0.20) + 2 * 0.023.
    expect(dollarsOf(month)).toBeCloseTo(4.396_006, 6);
    expect(listRows(costs, 8).at(-1)).toMatchObject({ "every 60 min": "4.40" });
  });

  it("show the duration and the cost of an invocation at each memory size, with a star at the configured size", () => {
    const work = { cpuMs: 100, awsRequests: 2, waitsMs: 1_000, memoryMegabytes: 512 };
    const [row] = memoryRows([{ name: "run-step", ...work }], readAssumptions({ "aws-ms": "5" }));

    // 0.2 dollars of requests, and at 512 MB: 0.5 GB * 1.3555 s * 13.3334 dollars a million.
    expect(row).toMatchObject({
      "an invocation": "run-step",
      "512 MB": "1356 ms $9.24 *",
      "1769 MB": "1110 ms $25.77",
      "3008 MB": "1110 ms $43.68",
    });
  });
});

describe("the cost of alarms", () => {
  it("is proportional to the number of metrics in the alarms, not to the number of alarms", () => {
    const alarm = (Properties: object) => ({ Type: "AWS::CloudWatch::Alarm", Properties });
    const sum = { Id: "sum", Expression: "a + b" };
    const metric = (Id: string) => ({ Id, MetricStat: { Metric: {}, Period: 60, Stat: "Sum" } });

    expect(alarmMetrics([alarm({ MetricName: "Errors" })])).toBe(1);
    expect(alarmMetrics([alarm({ Metrics: [sum, metric("a"), metric("b")] })])).toBe(2);
    const others = [{ Type: "AWS::SQS::Queue" }, alarm({ MetricName: "Age" })];
    expect(alarmMetrics([...others, alarm({ Metrics: [sum, metric("a"), metric("b")] })])).toBe(3);
  });
});

describe("the cost of the firewall", () => {
  it("increases with the number of rules of its web ACLs", () => {
    const acl = { Type: "AWS::WAFv2::WebACL", Properties: { Rules: [{}, {}, {}] } };

    expect(firewallRules([acl, { Type: "AWS::SQS::Queue" }])).toBe(3);
    expect(firewallRules([])).toBe(0);
    // The web ACL, three rules, and a million requests.
    const month = { firewallMonth: 1, firewallRuleMonth: 3, firewallRequest: 1_000_000 };
    expect(dollarsOf(month)).toBeCloseTo(8.6, 10);
  });
});

describe("the cost measurement", () => {
  it("counts the bytes of log lines as CloudWatch bills them, and each embedded metric once", () => {
    const logs = logMeter();
    const line = JSON.stringify({
      group: "products",
      calls: 1,
      _aws: {
        CloudWatchMetrics: [
          { Namespace: "N", Dimensions: [["group"], []], Metrics: [{ Name: "calls" }] },
        ],
      },
    });
    const text = `${line}\nnot a log line\n${line}\n`;
    logs.note(Buffer.from(text.slice(0, 20)));
    logs.note(Buffer.from(text.slice(20)));

    expect(logs.take()).toEqual({ lines: 2, bytes: 2 * (line.length + 26) });
    expect(logs.take()).toEqual({ lines: 0, bytes: 0 });
    expect(logs.metrics()).toBe(2);
  });

  it("computes the size of a row from its attribute names and values, with an overhead for lists and maps", () => {
    expect(sizeOf("caf\u00e9")).toBe(5);
    expect(sizeOf(new Uint8Array(100))).toBe(100);
    expect(sizeOf({ id: "abc" })).toBe(3 + 2 + 3 + 1);
    expect(sizeOf(["ab", null])).toBe(3 + 2 + 1 + 1 + 1);
  });
});

describe("the costs of the event bus in docs/costs.md", () => {
  it("are the costs that `npm run costs` prints", () => {
    const [, section = ""] = pageText("docs/costs.md").split("## Event bus\n");
    const table = section
      .split("\n")
      .filter((line) => line.startsWith("| "))
      .map((line) => line.split("|").map((cell) => cell.trim()))
      .map(([, name = "", dollars = ""]) => ({ "event bus": name, dollars }))
      .filter((row) => !row.dollars.startsWith("-"));
    const rows = busRows(busMonth());
    expect(table.slice(1, rows.length + 1)).toEqual(rows);
  });
});
