import { CfnElement } from "aws-cdk-lib";
import type { IConstruct } from "constructs";

/**
 * Fixes the logical ID of a resource. CloudFormation then does not replace the resource when its
 * construct moves in the code.
 * @throws Error if the construct has no CloudFormation resource
 */
export function pinLogicalId(resource: IConstruct, logicalId: string): void {
  const element = resource.node.defaultChild;
  if (!CfnElement.isCfnElement(element)) {
    throw new Error(
      `${resource.node.path} must have a CloudFormation resource as its default child, so that its logical ID can be pinned.`,
    );
  }
  element.overrideLogicalId(logicalId);
}
