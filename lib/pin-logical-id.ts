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
      `Cannot pin the logical ID '${logicalId}' of ${resource.node.path}, which has no CloudFormation resource as its default child. Pass a construct that has one.`,
    );
  }
  element.overrideLogicalId(logicalId);
}
