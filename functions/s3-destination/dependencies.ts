import type { ListExportsDependencies } from "../../shared/exports/list-exports.ts";
import type { SaveDestinationDependencies } from "../../shared/exports/put-destination.ts";
import type { StartBackfillDependencies } from "../../shared/exports/start-backfill.ts";
import type { TestDestinationDependencies } from "../../shared/exports/test-destination.ts";
import type { ProbeDependencies } from "../../shared/outgoing/probe-limit.ts";

export type DestinationDependencies = SaveDestinationDependencies &
  StartBackfillDependencies &
  TestDestinationDependencies &
  ListExportsDependencies &
  ProbeDependencies;
