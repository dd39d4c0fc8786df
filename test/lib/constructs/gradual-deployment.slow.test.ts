import { describe, expect, it } from "vitest";
import { environment } from "../../../functions/environment.ts";
import { aliasIds, propertiesOf, resourcesOf, synthesize } from "../synthesize.ts";

const { service } = synthesize("prod");
const groups = resourcesOf(service, "AWS::CodeDeploy::DeploymentGroup");
const aliases = resourcesOf(service, "AWS::Lambda::Alias");

interface UpdatedByCodeDeploy {
  readonly UpdatePolicy?: {
    readonly CodeDeployLambdaAliasUpdate: {
      readonly DeploymentGroupName: { readonly Ref: string };
    };
  };
}

/** Logical ID of the deployment group that updates the alias of a function. */
function groupOf(name: string): string {
  const alias = aliases[aliasIds(service).get(name) ?? ""] as UpdatedByCodeDeploy | undefined;
  return alias?.UpdatePolicy?.CodeDeployLambdaAliasUpdate.DeploymentGroupName.Ref ?? "";
}

function configurationsIn(deployment?: string): readonly unknown[] {
  const { service: template } = synthesize("prod", deployment === undefined ? {} : { deployment });
  const found = Object.values(resourcesOf(template, "AWS::CodeDeploy::DeploymentGroup"));
  return [...new Set(found.map(({ Properties }) => Properties["DeploymentConfigName"]))];
}

describe("a gradual deployment", () => {
  it("has a separate deployment group for each function, which shifts the traffic of this function", () => {
    const used = [...aliasIds(service).keys()].map(groupOf);

    expect(used.toSorted()).toEqual(Object.keys(groups).toSorted());
    expect(used).toHaveLength(Object.keys(environment).length);
  });

  it("is rolled back after errors of the newest version of its function, and after failed API calls", () => {
    for (const [name, aliasId] of aliasIds(service)) {
      const { AlarmConfiguration, AutoRollbackConfiguration } =
        groups[groupOf(name)]?.Properties ?? {};
      const { Alarms, Enabled } = AlarmConfiguration as {
        readonly Alarms: readonly { readonly Name: { readonly Ref: string } }[];
        readonly Enabled: boolean;
      };
      const watched = Alarms.map(
        ({ Name }) => resourcesOf(service, "AWS::CloudWatch::Alarm")[Name.Ref]?.Properties,
      );

      expect(Enabled).toBe(true);
      expect(AutoRollbackConfiguration).toEqual({
        Enabled: true,
        Events: ["DEPLOYMENT_FAILURE", "DEPLOYMENT_STOP_ON_REQUEST", "DEPLOYMENT_STOP_ON_ALARM"],
      });
      expect(watched.map((alarm) => alarm?.["AlarmName"])).toEqual([
        `RetailProductData-prod-service-release-failing-${name}`,
        "RetailProductData-prod-service-api-failing",
      ]);
      const version = aliases[aliasId]?.Properties["FunctionVersion"];
      expect(JSON.stringify(watched[0]?.["Metrics"])).toContain(
        `{"Name":"ExecutedVersion","Value":${JSON.stringify(version)}}`,
      );
    }
  });

  it("is a canary deployment in prod by default, unless the context names another kind of deployment", () => {
    const canary = "CodeDeployDefault.LambdaCanary10Percent5Minutes";
    expect(configurationsIn()).toEqual([canary]);
    expect(configurationsIn("canary-10-percent-5-minutes")).toEqual([canary]);
    expect(configurationsIn("linear-10-percent-every-1-minute")).toEqual([
      "CodeDeployDefault.LambdaLinear10PercentEvery1Minute",
    ]);
  });

  it("uses one role that only CodeDeploy can assume", () => {
    const roles = propertiesOf(service, "AWS::CodeDeploy::DeploymentGroup").map(
      ({ ServiceRoleArn }) =>
        (ServiceRoleArn as { "Fn::GetAtt": [string, string] })["Fn::GetAtt"][0],
    );
    const [roleId = "", ...others] = new Set(roles);

    expect(others).toEqual([]);
    expect(resourcesOf(service, "AWS::IAM::Role")[roleId]?.Properties).toMatchObject({
      AssumeRolePolicyDocument: {
        Statement: [{ Principal: { Service: "codedeploy.amazonaws.com" } }],
      },
      ManagedPolicyArns: [expect.anything()],
    });
  });
});

describe("a deployment that is not gradual", () => {
  it.each([
    ["in dev", synthesize("dev")],
    ["in prod if the context requests it", synthesize("prod", { deployment: "all-at-once" })],
  ])(
    "creates no CodeDeploy resources and no alarms on function versions (deployment: %s)",
    (_, stacks) => {
      const template = stacks.service;

      expect(resourcesOf(template, "AWS::CodeDeploy::DeploymentGroup")).toEqual({});
      expect(resourcesOf(template, "AWS::CodeDeploy::Application")).toEqual({});
      expect(JSON.stringify(resourcesOf(template, "AWS::Lambda::Alias"))).not.toContain(
        "UpdatePolicy",
      );
      expect(JSON.stringify(template.toJSON())).not.toContain("ExecutedVersion");
    },
  );
});
