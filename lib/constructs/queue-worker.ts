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
  /** The function's variables. Receives the worker's queue, because a worker may send to it. */
  readonly variables: (own: Queue) => EnvironmentOf<Name>;
  /** The most messages of one invocation. */
  readonly batchSize: number;
  /** The most parallel invocations; 2 to 1,000. */
  readonly concurrencyMax: number;
  /** Receives after which SQS moves a message to the dead-letter queue. */
  readonly receivesMax: number;
  /** The consequence of a dead letter for users: a full sentence. */
  readonly impact: string;
}

/** Visibility timeout as a multiple of the function timeout, as AWS recommends: time to retry a throttled batch. */
const visibilityPerTimeout = 6;
/**
 * A message has a delay of 15 minutes at most, and becomes a dead letter after a few hours of retries. A dead
 * letter keeps its first time of sending, so time in this queue shortens its time in the dead-letter queue.
 */
const retentionPeriod = Duration.days(4);

/** A queue, the function that handles its messages, and the dead-letter queue with its alarm. */
export class QueueWorker<Name extends WorkerName> extends Construct implements IGrantable {
  readonly queue: Queue;
  readonly deadLetterQueue: Queue;
  readonly function: ServiceFunction<Name>;
  readonly grantPrincipal: IPrincipal;

  /** @param id also the prefix of the queue's logical ID: `Runs` makes `RunsQueue` */
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
      // With reserved concurrency in the account, other functions could use up this worker's share.
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
