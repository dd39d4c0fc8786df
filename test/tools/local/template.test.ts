import { describe, expect, it } from "vitest";
import * as v from "valibot";
import { resolveTemplates } from "../../../tools/local/template.ts";
import type { Stack } from "../../../tools/local/template.ts";
import { fixtureStacks } from "./fixture-stacks.ts";

const base = "http://127.0.0.1:4566/000000000000";

function valueOf(value: unknown, resources: Stack["template"]["Resources"] = {}): unknown {
  const stack: Stack = {
    name: "Small",
    template: {
      Resources: { Subject: { Type: "Test::Subject", Properties: { value } }, ...resources },
      Outputs: {},
      Parameters: {},
    },
  };
  const [subject] = resolveTemplates([...fixtureStacks, stack], base).ofType("Test::Subject");
  return subject?.properties["value"];
}

const queue = { Queue: { Type: "AWS::SQS::Queue", Properties: {} } };

describe("resolveTemplates, which reads CloudFormation templates,", () => {
  it.each([
    ["Ref to a queue, as the URL of the queue", { Ref: "Queue" }, `${base}/Small-Queue`],
    [
      "GetAtt in both forms",
      { a: { "Fn::GetAtt": ["Queue", "Arn"] }, b: { "Fn::GetAtt": "Queue.QueueName" } },
      { a: "arn:aws:sqs:us-east-1:000000000000:Small-Queue", b: "Small-Queue" },
    ],
    [
      "Join over pseudo parameters",
      { "Fn::Join": [":", [{ Ref: "AWS::Partition" }, { Ref: "AWS::AccountId" }]] },
      "aws:000000000000",
    ],
    [
      "Select of Split",
      { "Fn::Select": [1, { "Fn::Split": ["/", { "Fn::Join": ["", ["a/b/", "c"]] }] }] },
      "b",
    ],
    [
      "Sub with resources, attributes, own variables and literals",
      {
        "Fn::Sub": [
          "${AWS::Region} ${Queue} ${Queue.Arn} ${own} ${!kept}",
          { own: { Ref: "AWS::URLSuffix" } },
        ],
      },
      `us-east-1 ${base}/Small-Queue arn:aws:sqs:us-east-1:000000000000:Small-Queue amazonaws.com \${kept}`,
    ],
    [
      "GetStackOutput of another stack",
      { "Fn::GetStackOutput": { StackName: "Fixture-data", OutputName: "RowsName" } },
      "Fixture-data-Rows",
    ],
    ["NoValue, by removing its property", { a: 1, b: { Ref: "AWS::NoValue" } }, { a: 1 }],
  ])("resolves the template function: %s", (_name, value, expected) => {
    expect(valueOf(value, queue)).toEqual(expected);
  });

  it.each([
    ["a resource", { Ref: "Nowhere" }, "Small: resource Nowhere does not exist"],
    ["an attribute", { "Fn::GetAtt": ["Queue", "Age"] }, "attribute Queue.Age does not exist"],
    [
      "an output",
      { "Fn::GetStackOutput": { StackName: "Fixture-data", OutputName: "Age" } },
      "output Fixture-data.Age does not exist",
    ],
    [
      "an intrinsic function",
      { "Fn::Cidr": [] },
      "does not support the template function Fn::Cidr",
    ],
  ])(
    "fails with the name of the part that is missing or unsupported: %s",
    (_name, value, message) => {
      expect(() => valueOf(value, queue)).toThrow(message);
    },
  );

  it("fails with the name of a resource whose properties are invalid", () => {
    const templates = resolveTemplates(fixtureStacks, base);

    expect(() => templates.ofType("AWS::SQS::Queue", v.object({ Colour: v.string() }))).toThrow(
      /resource JobsDead.*Colour/s,
    );
  });

  it("gives each KMS key an ID in the format of KMS", () => {
    const [key] = resolveTemplates(fixtureStacks, base).ofType("AWS::KMS::Key");

    expect(key?.local.ref).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  });

  it("shortens long resource names to the limits of AWS, and keeps them unique", () => {
    const long = "L".repeat(90);
    const names = resolveTemplates(
      [
        {
          name: "Small",
          template: {
            Resources: {
              [`${long}1`]: { Type: "AWS::S3::Bucket", Properties: {} },
              [`${long}2`]: { Type: "AWS::S3::Bucket", Properties: {} },
            },
            Outputs: {},
            Parameters: {},
          },
        },
      ],
      base,
    )
      .ofType("AWS::S3::Bucket")
      .map(({ local }) => local.ref);

    expect(new Set(names).size).toBe(2);
    for (const name of names) expect(name).toMatch(/^[a-z0-9-]{63}$/);
  });
});
