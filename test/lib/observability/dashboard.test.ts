import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { stages } from "../../../lib/config.ts";
import { metricKinds, metricNamespace } from "../../../shared/observability/metric-names.ts";
import { allMetricNames } from "../../support/log-lines.ts";
import { propertiesOf, synthesize } from "../synthesize.ts";

interface Widget {
  readonly type: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly properties: {
    readonly title?: string;
    readonly markdown?: string;
    readonly alarms?: readonly string[];
    readonly metrics?: readonly (readonly unknown[])[];
  };
}

/**
 * Returns the widgets of a stage's dashboard. The string `ref` replaces every reference to a
 * resource.
 */
function widgetsOf(stage: (typeof stages)[number]): readonly Widget[] {
  const [dashboard] = propertiesOf(synthesize(stage).service, "AWS::CloudWatch::Dashboard");
  const body = dashboard?.["DashboardBody"] as {
    readonly "Fn::Join": readonly [string, unknown[]];
  };
  const text = body["Fn::Join"][1]
    .map((part) => (typeof part === "string" ? part : "ref"))
    .join("");
  return (JSON.parse(text) as { readonly widgets: readonly Widget[] }).widgets;
}

/**
 * Returns the name and the dimensions of each metric of the service that the widgets show, whether
 * the widgets name the metric or find it by a search expression.
 */
function ownMetrics(widgets: readonly Widget[]): readonly (readonly [string, readonly string[]])[] {
  return widgets
    .flatMap(({ properties }) => properties.metrics ?? [])
    .flatMap(([first, name, ...others]) => {
      if (first === metricNamespace) {
        const pairs = others.filter((one) => typeof one === "string");
        return [[String(name), pairs.filter((_, n) => n % 2 === 0)] as const];
      }
      const { expression = "" } = first as { readonly expression?: string };
      const searched = /SEARCH\('\{(\w+),([\w,]+)\} MetricName="(\w+)" stage="\w+"'/.exec(
        expression,
      );
      if (searched === null || searched[1] !== metricNamespace) return [];
      return [[searched[3] ?? "", (searched[2] ?? "").split(",")] as const];
    });
}

describe.each(stages)("the CloudWatch dashboard of the stage %s", (stage) => {
  const widgets = widgetsOf(stage);

  it("has a row for each part of the service", () => {
    const titles = widgets.flatMap(({ properties }) => properties.markdown ?? []);

    expect(titles).toEqual([
      "## Alarms",
      "## Traffic",
      "## Items and credits",
      "## Runs",
      "## Steps and sources",
      "## Deliveries and exports",
      "## Queues",
      "## Functions and database",
    ]);
  });

  it("has graphs that fit the page and do not overlap", () => {
    const taken = new Set<string>();
    for (const { x, y, width, height } of widgets) {
      expect(x + width).toBeLessThanOrEqual(24);
      for (let column = x; column < x + width; column += 1) {
        for (let row = y; row < y + height; row += 1) {
          expect(taken).not.toContain(`${column} ${row}`);
          taken.add(`${column} ${row}`);
        }
      }
    }
  });

  it("shows the state of every alarm", () => {
    const { length: alarms } = propertiesOf(synthesize(stage).service, "AWS::CloudWatch::Alarm");

    expect(widgets.flatMap(({ properties }) => properties.alarms ?? [])).toHaveLength(alarms);
  });

  it("shows only metrics and dimensions that the code writes", () => {
    const own = ownMetrics(widgets);

    expect(own.length).toBeGreaterThan(40);
    for (const [name, dimensions] of own) {
      const sets = Object.values(metricKinds)
        .filter(({ metrics }) => Object.keys(metrics).includes(name))
        .flatMap((kind) => kind.dimensions.map((set) => ["stage", ...set].toSorted().join()));
      expect(sets, name).toContain(dimensions.toSorted().join());
    }
  });

  it("shows every metric of the service except the number of sweeps and the metrics of the event bus", () => {
    const shown = new Set(ownMetrics(widgets).map(([name]) => name));

    expect(allMetricNames.filter((name) => !shown.has(name))).toEqual([
      ...Object.keys(metricKinds.event_bus.metrics),
      "sweeps",
    ]);
  });

  it("shows throttles of tables and of their indexes", () => {
    const throttled = widgets.find(({ properties }) => properties.title === "Throttled requests");

    // Reads and writes of four tables and three indexes.
    expect(throttled?.properties.metrics).toHaveLength(2 * (4 + 3));
    const lines = (throttled?.properties.metrics ?? []).map((metric) => JSON.stringify(metric));
    expect(lines.filter((line) => line.includes('"GlobalSecondaryIndexName","due"'))).toHaveLength(
      2 * 3,
    );
  });

  it("shows no metric of another stage", () => {
    const searches = JSON.stringify(widgets).match(/stage=\\?"\w+/g) ?? [];

    expect(searches.length).toBeGreaterThan(10);
    expect(new Set(searches.map((text) => text.replaceAll(/\W|stage/g, "")))).toEqual(
      new Set([stage]),
    );
  });
});

describe("the list of metric names", () => {
  const root = new URL("../../../", import.meta.url).pathname;
  const code = ["functions", "shared"]
    .flatMap((folder) =>
      readdirSync(`${root}${folder}`, { recursive: true, encoding: "utf8" }).map(
        (name) => `${root}${folder}/${name}`,
      ),
    )
    .filter((path) => path.endsWith(".ts") && !path.endsWith("metric-names.ts"))
    .map((path) => readFileSync(path, "utf8"))
    .join("\n");

  it.each(allMetricNames)("contains the metric '%s', and the code writes this metric", (name) => {
    expect(code).toMatch(new RegExp(`\\b${name}:`));
  });
});
