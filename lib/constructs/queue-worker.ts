import { Duration } from "aws-cdk-lib";
import type { IGrantable, IPrincipal } from "aws-cdk-lib/aws-iam";
import { SqsEventSource } from "aws-cdk-lib/aws-lambda-event-sources";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import type { EnvironmentOf, WorkerName } from "../../functions/environment.ts";
import { DeadLetterAlarm } from "../observability/dead-letter-alarm.ts";
import { deadLetterRetention, secureQueue } from "./secure-queue.ts";
import { ServiceFunction } from "./service-function.ts";
import type { ServiceFunctionProps } from "./service-function.ts";

export interface QueueWorkerProps<Name extends WorkerName> {
  readonly function: Omit<ServiceFunctionProps<Name>, "variables">;
  /** The function's variables; its own queue is at hand because a worker may send to itself. */
  readonly variables: (own: Queue) => EnvironmentOf<Name>;
  /** Messages given to one invocation at most. */
  readonly batchSize: number;
  /** Invocations at once at most; 2 to 1,000. */
  readonly concurrencyMax: number;
  /** Receives after which a message is given up. */
  readonly receivesMax: number;
  /** What a message that was given up means for a user. */
  readonly impact: string;
}

/** The factor that AWS advises: room for retries of a throttled batch before it shows up again. */
const visibilityPerTimeout = 6;
/**
 * A message waits for 15 minutes at most before it is received, and is given up after a few hours of
 * repeats. A dead letter keeps the time at which it was first sent: what it may wait here is taken
 * from what it may lie there.
 */
const retentionPeriod = Duration.days(4);

/** A queue, the function that works it off, and the dead-letter queue with its alarm. */
export class QueueWorker<Name extends WorkerName> extends Construct implements IGrantable {
  readonly queue: Queue;
  readonly deadLetterQueue: Queue;
  readonly function: ServiceFunction<Name>;
  readonly grantPrincipal: IPrincipal;

  /** @param id names the queue too: `Runs` makes the resource `RunsQueue`. */
  constructor(scope: Construct, id: string, props: QueueWorkerProps<Name>) {
    super(scope, id);
    this.deadLetterQueue = secureQueue(
      this,
      { id: "DeadLetterQueue", logicalId: `${id}DeadLetterQueue` },
      { retentionPeriod: deadLetterRetention },
    );
    this.queue = secureQueue(
      this,
      { id: "Queue", logicalId: `${id}Queue` },
      {
        retentionPeriod,
        visibilityTimeout: Duration.seconds(
          visibilityPerTimeout * props.function.timeout.toSeconds(),
        ),
        deadLetterQueue: { queue: this.deadLetterQueue, maxReceiveCount: props.receivesMax },
      },
    );
    this.function = new ServiceFunction(this, "Worker", {
      ...props.function,
      variables: props.variables(this.queue),
      // Whoever has shares of their own must not take what this one is bounded to.
      ...(props.function.config.reservedConcurrency !== null && {
        reservedConcurrency: props.concurrencyMax,
      }),
    });
    this.function.lambda.addEventSource(
      new SqsEventSource(this.queue, {
        batchSize: props.batchSize,
        maxConcurrency: props.concurrencyMax,
        reportBatchItemFailures: true,
      }),
    );
    new DeadLetterAlarm(this, "DeadLetterAlarm", {
      queue: this.deadLetterQueue,
      impact: props.impact,
    });
    this.grantPrincipal = this.function.grantPrincipal;
  }
}
