import type { CloudFormationStackArtifact } from "aws-cdk-lib/cx-api";
import { describe, expect, it } from "vitest";
import { buildApp, stackName } from "../../lib/build-app.ts";
import type { Stage } from "../../lib/config.ts";
import type { GivenContext } from "../../lib/context.ts";
import { dataOutputs } from "../../lib/data-references.ts";
import { limits } from "../../shared/base/limits.ts";
import { documentOf, propertiesOf, resourcesOf, synthesize } from "./synthesize.ts";
import type { Resource } from "./synthesize.ts";

const dev = synthesize("dev").data;
const prod = synthesize("prod").data;
const tableIds = ["AccountsTable", "LedgerTable", "WatchlistsTable", "DeliveriesTable"];
const keptIds = [...tableIds, "SecretsKey", "EventsBucket"];
const pinnedIds = [...keptIds, "AlarmTopic", "AlarmKey"];
/** Resources of the backups, which prod has by default, and of the operators' access. */
const otherIds = ["BackupVault", "Backups", "Operator"];

describe.each([
  ["dev", dev],
  ["prod", prod],
])("the data stack of the stage %s", (_stage, template) => {
  it("keeps the logical IDs of resources with state", () => {
    const ids = Object.keys(template.toJSON()["Resources"] as object);

    expect(ids).toEqual(expect.arrayContaining(pinnedIds));
    const others = ids.filter((id) => !otherIds.some((other) => id.startsWith(other)));
    expect(others.filter((id) => !pinnedIds.includes(id)).toSorted()).toEqual([
      expect.stringMatching(/^AlarmsTopicPolicy/),
      expect.stringMatching(/^EventsBucketPolicy/),
    ]);
  });

  it("has only on-demand tables with encryption and point-in-time recovery", () => {
    expect(Object.keys(resourcesOf(template, "AWS::DynamoDB::Table"))).toEqual(tableIds);
    for (const properties of propertiesOf(template, "AWS::DynamoDB::Table")) {
      expect(properties).toMatchObject({
        BillingMode: "PAY_PER_REQUEST",
        KeySchema: [
          { AttributeName: "pk", KeyType: "HASH" },
          { AttributeName: "sk", KeyType: "RANGE" },
        ],
        TimeToLiveSpecification: { AttributeName: "ttl", Enabled: true },
        SSESpecification: { SSEEnabled: true },
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      });
    }
  });

  it("has a keys-only index of due rows in every table except the ledger", () => {
    const indexes = Object.entries(resourcesOf(template, "AWS::DynamoDB::Table")).map(
      ([id, { Properties }]) => [id, Properties["GlobalSecondaryIndexes"]],
    );

    const due = [
      {
        IndexName: "due",
        KeySchema: [
          { AttributeName: "due_kind", KeyType: "HASH" },
          { AttributeName: "due_at", KeyType: "RANGE" },
        ],
        Projection: { ProjectionType: "KEYS_ONLY" },
      },
    ];
    expect(Object.fromEntries(indexes)).toEqual({
      AccountsTable: due,
      LedgerTable: undefined,
      WatchlistsTable: due,
      DeliveriesTable: due,
    });
  });

  it("rotates the key that encrypts secrets", () => {
    expect(propertiesOf(template, "AWS::KMS::Key")).toContainEqual(
      expect.objectContaining({ EnableKeyRotation: true }),
    );
  });

  it("keeps event bodies private and encrypted, and keeps them longer than clients can list the events", () => {
    expect(propertiesOf(template, "AWS::S3::Bucket")).toContainEqual(
      expect.objectContaining({
        PublicAccessBlockConfiguration: {
          BlockPublicAcls: true,
          BlockPublicPolicy: true,
          IgnorePublicAcls: true,
          RestrictPublicBuckets: true,
        },
        BucketEncryption: expect.anything(),
        LifecycleConfiguration: { Rules: [expect.objectContaining({ ExpirationInDays: 35 })] },
      }),
    );
    expect(propertiesOf(template, "AWS::S3::Bucket")[0]).not.toHaveProperty(
      "VersioningConfiguration",
    );
    expect(limits.eventRetentionDays).toBeLessThan(35);
  });

  it("refuses plain HTTP requests to the bucket of event bodies", () => {
    const [policy] = propertiesOf(template, "AWS::S3::BucketPolicy");

    expect(documentOf(policy?.["PolicyDocument"])).toContainEqual(
      expect.objectContaining({
        Effect: "Deny",
        Condition: { Bool: { "aws:SecureTransport": "false" } },
      }),
    );
  });
});

describe.each(["dev", "prod"] as const)(
  "the outputs of the data stack of the stage %s",
  (stage) => {
    const outputs = Object.entries(
      synthesize(stage).data.toJSON()["Outputs"] as Record<string, { Export?: { Name: string } }>,
    );

    it("are, without the exports, the outputs that the service stack reads and the name of the operators' audit log", () => {
      const plain = outputs.filter(([, { Export }]) => Export === undefined);

      expect(plain.map(([name]) => name).toSorted()).toEqual(
        [...dataOutputs, "OperatorAuditLogName"].toSorted(),
      );
    });

    it("include the exports that the service stack of release 0.1.0 imports", () => {
      const exported = outputs.flatMap(([, { Export }]) => Export?.Name ?? []);

      expect(exported.toSorted()).toEqual(
        [
          "FnGetAttAccountsTableArnD836D43B",
          "FnGetAttDeliveriesTableArn174C9AF4",
          "FnGetAttEventsBucketArn8527E1E9",
          "FnGetAttLedgerTableArn7AAE8B3D",
          "FnGetAttSecretsKeyArn4A6D3DF6",
          "FnGetAttWatchlistsTableArn45602949",
          "RefAccountsTable0C6766A8",
          "RefAlarmTopicD733D35B",
          "RefDeliveriesTable366A8320",
          "RefEventsBucketC8CD9701",
          "RefLedgerTableF4AC1FC6",
          "RefSecretsKeyF018011A",
          "RefWatchlistsTableF0D020A6",
        ].map((name) => `${stackName(stage, "data")}:ExportsOutput${name}`),
      );
    });
  },
);

describe("the data stack's protection against deletion", () => {
  it("retains every resource of prod when the stack is deleted, except after a failed first deployment", () => {
    const resources = prod.toJSON()["Resources"] as Record<string, Resource>;

    for (const id of keptIds) {
      expect(resources[id]).toMatchObject({
        DeletionPolicy: "RetainExceptOnCreate",
        UpdateReplacePolicy: "Retain",
      });
    }
  });

  it("creates the tables after all other resources, and enables their deletion protection", () => {
    for (const table of Object.values(resourcesOf(prod, "AWS::DynamoDB::Table"))) {
      const { DependsOn } = table as unknown as { DependsOn: readonly string[] };
      expect(DependsOn).toEqual(
        expect.arrayContaining(["AlarmTopic", "EventsBucket", "SecretsKey"]),
      );
    }
    for (const properties of propertiesOf(prod, "AWS::DynamoDB::Table")) {
      expect(properties).toMatchObject({ DeletionProtectionEnabled: true });
    }
  });

  it("lets the complete stack of dev be destroyed", () => {
    for (const table of Object.values(resourcesOf(dev, "AWS::DynamoDB::Table"))) {
      expect(table.DeletionPolicy).toBe("Delete");
    }
    for (const properties of propertiesOf(dev, "AWS::DynamoDB::Table")) {
      expect(properties).toMatchObject({ DeletionProtectionEnabled: false });
    }
  });
});

describe("the context 'unprotect' of the data stack", () => {
  const stackOf = (stage: Stage, context: GivenContext = {}): CloudFormationStackArtifact =>
    buildApp({ bundle: false, context: { sources: "sandbox", ...context, stage } })
      .synth()
      .getStackByName(stackName(stage, "data"));

  it("is needed to delete the stack in prod, but not in dev, where the stack has no termination protection", () => {
    expect(stackOf("dev").terminationProtection).toBe(false);
    expect(stackOf("prod").terminationProtection).toBe(true);
  });

  it("removes every protection if its value is the name of the data stack", () => {
    const stack = stackOf("prod", { unprotect: "RetailProductData-prod-data" });
    const resources = (stack.template as { Resources: Record<string, Resource> }).Resources;

    expect(stack.terminationProtection).toBe(false);
    expect(keptIds.map((id) => resources[id]?.DeletionPolicy)).toEqual(keptIds.map(() => "Delete"));
    for (const id of tableIds) {
      expect(resources[id]?.Properties["DeletionProtectionEnabled"]).toBe(false);
    }
  });

  it.each(["true", "RetailProductData-dev-data", "RetailProductData-prod-service"])(
    "is refused if its value is '%s'",
    (unprotect) => {
      expect(() => stackOf("prod", { unprotect })).toThrow(
        "Context key 'unprotect' must be RetailProductData-prod-data, the data stack of stage prod (got",
      );
    },
  );
});
