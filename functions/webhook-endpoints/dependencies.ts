import type { TargetStates } from "../../shared/outbox/outbox.ts";
import type { ProbeDependencies } from "../../shared/outgoing/probe-limit.ts";
import type { CreateEndpointDependencies } from "../../shared/webhooks/create-endpoint.ts";
import type { DeleteEndpointDependencies } from "../../shared/webhooks/delete-endpoint.ts";
import type { EndpointStore } from "../../shared/webhooks/endpoint-store.ts";
import type { ListDeliveriesDependencies } from "../../shared/webhooks/list-deliveries.ts";
import type { StartRecoveryDependencies } from "../../shared/webhooks/recover.ts";
import type { RedeliverDependencies } from "../../shared/webhooks/redeliver.ts";
import type { RotateSecretDependencies } from "../../shared/webhooks/rotate-secret.ts";
import type { TestEndpointDependencies } from "../../shared/webhooks/test-endpoint.ts";
import type { UpdateEndpointDependencies } from "../../shared/webhooks/update-endpoint.ts";

export type EndpointDependencies = CreateEndpointDependencies &
  UpdateEndpointDependencies &
  DeleteEndpointDependencies &
  RotateSecretDependencies &
  TestEndpointDependencies &
  StartRecoveryDependencies &
  RedeliverDependencies &
  ProbeDependencies &
  ListDeliveriesDependencies & {
    readonly endpoints: Pick<EndpointStore, "list">;
    readonly states: TargetStates;
  };
