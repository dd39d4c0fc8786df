import { CfnElement } from "aws-cdk-lib";
import type { IConstruct } from "constructs";

/** Fixes the logical ID of a resource, so that moving its construct in the code does not replace the resource. */
export function pinLogicalId(resource: IConstruct, logicalId: string): void {
  const element = resource.node.defaultChild;
  if (!CfnElement.isCfnElement(element)) {
    throw new Error(
      `${resource.node.path} has no default child, so its logical ID cannot be pinned.`,
    );
  }
  element.overrideLogicalId(logicalId);
}
