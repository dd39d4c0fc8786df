import { CfnElement } from "aws-cdk-lib";
import type { IConstruct } from "constructs";

/**
 * Fixes the name under which CloudFormation knows a resource, so that moving its construct in the
 * code never replaces what holds state.
 */
export function pinLogicalId(resource: IConstruct, logicalId: string): void {
  const element = resource.node.defaultChild;
  if (!CfnElement.isCfnElement(element)) {
    throw new Error(
      `${resource.node.path} stands for no single resource whose id could be pinned.`,
    );
  }
  element.overrideLogicalId(logicalId);
}
