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
  /**
   * Returns the function's environment variables. The parameter is the worker's own queue, to which
   * the worker may send messages.
   */
  readonly variables: (own: Queue) => EnvironmentOf<Name>;
  /** Maximum number of messages in one invocation. */
  readonly batchSize: number;
  /** Maximum number of parallel invocations, from 2 to 1,000. */
  readonly concurrencyMax: number;
  /** Number of receives after which SQS moves a message to the dead-letter queue. */
  readonly receivesMax: number;
  /** What users notice if there is a dead letter: a full sentence. */
  readonly impact: string;
}

/**
 * Visibility timeout as a multiple of the function timeout. AWS recommends this value, so that
 * Lambda has time to retry a throttled batch.
 */
const visibilityPerTimeout = 6;
/**
 * Retention of messages in the queue. No message stays there that long: it is delayed by at most 15
 * minutes, and becomes a dead letter after a few hours of retries. A longer retention could shorten
 * the time in the dead-letter queue, because a dead letter keeps its original send time.
 */
const retentionPeriod = Duration.days(4);

/** A queue, the function that handles its messages, and the dead-letter queue with its alarm. */
export class QueueWorker<Name extends WorkerName> extends Construct implements IGrantable {
  readonly queue: Queue;
  readonly deadLetterQueue: Queue;
  readonly function: ServiceFunction<Name>;
  readonly grantPrincipal: IPrincipal;

  /**
   * @param id ID of the construct, and prefix of the queue's logical ID: `Runs` results in
   * `RunsQueue`
   */
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
      // Reserves concurrency, because other functions of the AWS account could otherwise use this
      // worker's share.
      ...(props.function.config.reservedConcurrency !== null && {
        reservedConcurrency: props.concurrencyMax,
      }),
    });
    this.function.live.addEventSource(
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
