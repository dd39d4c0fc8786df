import { describe, expect, it } from "vitest";
import { operatorRoleName, operatorRoles } from "../../../lib/operator-names.ts";
import { actionsOf, propertiesOf, resourcesOf, statementsOf, synthesize } from "../synthesize.ts";

const { data } = synthesize("prod");

/** Returns the actions that the policies of an operator role allow. */
function actionsOfRole(name: string): ReadonlySet<string> {
  const [id = ""] =
    Object.entries(resourcesOf(data, "AWS::IAM::Role")).find(([, { Properties }]) =>
      JSON.stringify(Properties["RoleName"])?.includes(`-operator-${name}"`),
    ) ?? [];
  return new Set(statementsOf(data, id).flatMap(actionsOf));
}

const [read, act, breakGlass] = operatorRoles.map(actionsOfRole);

describe("the roles of operators", () => {
  it("have names that an operator can derive from the stage and the region", () => {
    const names = propertiesOf(data, "AWS::IAM::Role").map(({ RoleName }) => RoleName);

    for (const role of operatorRoles) {
      const [before, after] = operatorRoleName("prod", "|", role).split("|");
      expect(names).toContainEqual({ "Fn::Join": ["", [before, { Ref: "AWS::Region" }, after]] });
      expect(operatorRoleName("prod", "ap-southeast-99", role).length).toBeLessThanOrEqual(64);
    }
  });

  it("include all permissions of the next weaker role", () => {
    expect(read?.size).toBeGreaterThan(5);
    expect([...(read ?? [])].filter((action) => act?.has(action) !== true)).toEqual([]);
    expect([...(act ?? [])].filter((action) => breakGlass?.has(action) !== true)).toEqual([]);
  });

  it("do not allow the role 'read' to change rows or the role 'act' to delete tables", () => {
    expect(read).not.toContain("dynamodb:PutItem");
    expect(read).not.toContain("dynamodb:UpdateItem");
    expect(act).not.toContain("dynamodb:DeleteTable");
    expect(act).not.toContain("cloudformation:DeleteStack");
    expect(breakGlass).toContain("dynamodb:DeleteTable");
  });

  it("allow no operator to decrypt secrets, or to change or delete audit lines", () => {
    for (const role of [read, act, breakGlass]) {
      const actions = [...(role ?? [])];
      expect(actions.filter((action) => action.startsWith("kms:"))).toEqual([]);
      expect(actions.filter((action) => action.startsWith("logs:"))).toEqual(
        role === read ? ["logs:FilterLogEvents"] : ["logs:FilterLogEvents", "logs:PutLogEvents"],
      );
    }
  });

  it("allow no action with a wildcard", () => {
    for (const role of [read, act, breakGlass]) {
      expect([...(role ?? [])].filter((action) => action.includes("*"))).toEqual([]);
    }
  });
});

describe("the audit log of operators", () => {
  it("keeps lines for a year, and stays in prod when the stack is deleted", () => {
    const log = resourcesOf(data, "AWS::Logs::LogGroup")["OperatorAuditLog"];

    expect(log?.Properties["RetentionInDays"]).toBe(365);
    expect(log?.DeletionPolicy).toBe("RetainExceptOnCreate");
  });
});
