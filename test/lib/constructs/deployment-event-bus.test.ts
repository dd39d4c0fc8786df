import { describe, expect, it } from "vitest";
import { stackName } from "../../../lib/build-app.ts";
import { metricKinds } from "../../../shared/observability/metric-names.ts";
import {
  actionsOf,
  functionIds,
  propertiesOf,
  resourcesOf,
  roleIdOf,
  statementsOf,
  synthesize,
  variablesOf,
} from "../synthesize.ts";

const { data, service } = synthesize("dev", { eventBus: "on" });
const archived = synthesize("dev", {
  eventBus: "on",
  eventBusArchiveDays: "30",
  eventBusSchemas: "on",
}).data;
const without = synthesize("dev");

/** Returns the functions whose roles can put events on a bus. */
const senders = (template: typeof service): readonly string[] =>
  [...functionIds(template)].flatMap(([name, id]) => {
    const found = resourcesOf(template, "AWS::Lambda::Function")[id];
    const statements =
      found === undefined ? [] : statementsOf(template, roleIdOf(found.Properties));
    return statements.some((one) => actionsOf(one).includes("events:PutEvents")) ? [name] : [];
  });

const busNameOf = (template: typeof service, name: string): unknown => {
  const functions = resourcesOf(template, "AWS::Lambda::Function");
  const found = functions[functionIds(template).get(name) ?? ""];
  return found === undefined ? undefined : variablesOf(found.Properties)["EVENT_BUS_NAME"];
};

describe("the event bus of a deployment", () => {
  it("is in the data stack under a fixed name, by default without an archive and without schemas", () => {
    expect(resourcesOf(data, "AWS::Events::EventBus")).toMatchObject({
      EventBus: { Properties: { Name: "retail-product-data-dev" } },
    });
    expect(data.toJSON()).toMatchObject({
      Outputs: { EventBusName: { Value: { Ref: "EventBus" } } },
    });
    expect(resourcesOf(data, "AWS::Events::Archive")).toEqual({});
    expect(resourcesOf(data, "AWS::EventSchemas::Discoverer")).toEqual({});
  });

  it("has an archive that keeps the events of the service for the number of days in the context", () => {
    expect(resourcesOf(archived, "AWS::Events::Archive")).toMatchObject({
      EventBusArchive: {
        Properties: {
          RetentionDays: 30,
          SourceArn: { "Fn::GetAtt": ["EventBus", "Arn"] },
          EventPattern: { source: ["retail-product-data"] },
        },
      },
    });
  });

  it("has schema discovery within the AWS account if the context turns it on", () => {
    expect(resourcesOf(archived, "AWS::EventSchemas::Discoverer")).toMatchObject({
      EventBusSchemas: {
        Properties: { SourceArn: { "Fn::GetAtt": ["EventBus", "Arn"] }, CrossAccount: false },
      },
    });
  });

  it("accepts events only from the delivery function", () => {
    expect(senders(service)).toEqual(["delivery"]);
    expect(resourcesOf(data, "AWS::Events::EventBusPolicy")).toEqual({});
  });

  it("is passed by name to the functions that publish and send events", () => {
    const output = {
      "Fn::GetStackOutput": { StackName: stackName("dev", "data"), OutputName: "EventBusName" },
    };
    expect(busNameOf(service, "run-finisher")).toEqual(output);
    expect(busNameOf(service, "delivery")).toEqual(output);
  });

  it("has alarms for refused events and for events that exhausted their retries", () => {
    const alarms = propertiesOf(service, "AWS::CloudWatch::Alarm").filter(({ AlarmName }) =>
      String(AlarmName).includes("-service-event-bus-"),
    );

    expect(alarms.map(({ MetricName }) => MetricName)).toEqual(["bus_failed", "bus_never_sent"]);
    for (const { AlarmDescription, AlarmActions } of alarms) {
      expect(AlarmDescription).toMatch(/Runbook: docs\/operate\.md#alarm-event-bus-failing$/);
      expect(AlarmActions).toHaveLength(1);
    }
  });

  it("has all its metrics on the dashboard", () => {
    const dashboard = JSON.stringify(resourcesOf(service, "AWS::CloudWatch::Dashboard"));

    for (const name of Object.keys(metricKinds.event_bus.metrics))
      expect(dashboard).toContain(name);
  });

  it("does not exist by default, and no function may put events", () => {
    expect(resourcesOf(without.data, "AWS::Events::EventBus")).toEqual({});
    expect(senders(without.service)).toEqual([]);
    expect(busNameOf(without.service, "run-finisher")).toBe("none");
    expect(busNameOf(without.service, "delivery")).toBe("none");
  });
});
