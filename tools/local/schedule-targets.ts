import { randomUUID } from "node:crypto";
import { SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import * as v from "valibot";
import { describeError } from "./lambda-host.ts";
import type { LambdaHost } from "./lambda-host.ts";
import type { Log } from "./log.ts";
import type { Fire } from "./schedule-clock.ts";
import type { StoredSchedule } from "./schedule-store.ts";
import { localAccount } from "./template.ts";
import type { ResolvedTemplates } from "./template.ts";

interface TargetOptions {
  readonly templates: ResolvedTemplates;
  readonly host: LambdaHost;
  readonly log: Log;
}

/** The targets that schedules can call. */
export interface ScheduleTargets {
  readonly fire: Fire;
  /** Waits for the running functions to end. */
  readonly stop: () => Promise<void>;
}

/**
 * Creates the targets of schedules: the queues and functions of the templates, and any queue by the
 * universal target `SendMessage`. `fire` never rejects; it logs a failure.
 */
export function scheduleTargets(options: TargetOptions): ScheduleTargets {
  const client = new SQSClient({});
  const running = new Set<Promise<unknown>>();
  return {
    async fire(schedule, scheduledTime) {
      try {
        const input = inputOf(schedule, scheduledTime);
        const { Arn } = schedule.definition.Target;
        if (Arn === sendMessageTarget) {
          await client.send(new SendMessageCommand(v.parse(sendMessageInput, JSON.parse(input))));
          return;
        }
        if (Arn.startsWith("arn:aws:sqs:")) {
          await sendTo(client, queueUrlOf(options.templates, Arn), { schedule, input });
          return;
        }
        const target = options.host.byReference(Arn);
        const run = target
          .invoke(JSON.parse(input))
          .catch((error: unknown) => {
            options.log(`function ${target.name} failed: ${describeError(error)}`);
          })
          .finally(() => running.delete(run));
        running.add(run);
      } catch (error) {
        options.log(`schedule ${schedule.name} failed: ${describeError(error)}`);
      }
    },
    async stop() {
      await Promise.all(running);
      client.destroy();
    },
  };
}

/**
 * The ARN of the universal target that sends a message. The schedule's input contains the
 * parameters of `SendMessage`.
 */
const sendMessageTarget = "arn:aws:scheduler:::aws-sdk:sqs:sendMessage";
const sendMessageInput = v.strictObject({
  QueueUrl: v.string(),
  MessageBody: v.string(),
  MessageGroupId: v.optional(v.string()),
});

function queueUrlOf(templates: ResolvedTemplates, arn: string): string {
  const queue = templates
    .ofType("AWS::SQS::Queue")
    .find(({ local }) => local.attributes["Arn"] === arn);
  if (!queue) throw new Error(`No template creates the queue ${arn}. Check the target's ARN.`);
  return queue.local.ref;
}

interface Sending {
  readonly schedule: StoredSchedule;
  readonly input: string;
}

async function sendTo(client: SQSClient, queueUrl: string, sending: Sending): Promise<void> {
  await client.send(
    new SendMessageCommand({
      QueueUrl: queueUrl,
      MessageBody: sending.input,
      MessageGroupId: sending.schedule.definition.Target.SqsParameters?.MessageGroupId,
    }),
  );
}

/**
 * Returns the input of a schedule, with context attributes such as `<aws.scheduler.scheduled-time>`
 * replaced.
 */
function inputOf(schedule: StoredSchedule, scheduledTime: Date): string {
  const seconds = scheduledTime.toISOString().replace(/\.\d+Z$/, "Z");
  return schedule.definition.Target.Input.replaceAll("<aws.scheduler.scheduled-time>", seconds)
    .replaceAll("<aws.scheduler.schedule-arn>", scheduleArn(schedule))
    .replaceAll("<aws.scheduler.execution-id>", randomUUID())
    .replaceAll("<aws.scheduler.attempt-number>", "1");
}

/** Returns the ARN of a schedule. */
export function scheduleArn(schedule: StoredSchedule): string {
  const { region, id } = localAccount;
  const group = schedule.definition.GroupName;
  return `arn:aws:scheduler:${region}:${id}:schedule/${group}/${schedule.name}`;
}
