import { join } from "node:path";
import { Validations } from "aws-cdk-lib";
import { AwsSolutionsChecks } from "cdk-nag";
import { buildApp } from "./build-app.ts";

const app = buildApp({ stageFiles: join(import.meta.dirname, "..", "stages") });
// A finding without an acknowledgement fails the synthesis, so that the app cannot be deployed.
Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
app.synth();
