import { stackName } from "../../lib/build-app.ts";
import type { Stage } from "../../lib/config.ts";

/**
 * Returns the arguments of the CDK commands that roll a stage back, in their order. The service
 * stack is first, because the newer data stack still has everything that the older service stack
 * reads (docs/adr/0021). The older data stack may lack what the newer service stack uses.
 */
export const rollbackDeployments = (stage: Stage): readonly (readonly string[])[] =>
  (["service", "data"] as const).map((part) => ["deploy", stackName(stage, part), "--exclusively"]);
