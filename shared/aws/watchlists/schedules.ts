import {
  ConflictException,
  CreateScheduleCommand,
  type CreateScheduleCommandInput,
  DeleteScheduleCommand,
  ResourceNotFoundException,
  type SchedulerClient,
  UpdateScheduleCommand,
} from "@aws-sdk/client-scheduler";
import { parseCron } from "../../cron/parse-cron.ts";
import { tickerExpression } from "../../cron/ticker-expression.ts";
import { dueMessage } from "../../messages/runs-queue.ts";
import type { Schedule } from "../../watchlists/schedule.ts";
import type { WatchlistSchedule, Schedules } from "../../watchlists/schedules.ts";

interface Options {
  readonly group: string;
  /** The queue to which schedules send messages. */
  readonly queueUrl: string;
  /** The role with which schedules send messages. */
  readonly roleArn: string;
}

/**
 * Maximum number of attempts to create or update a schedule. An attempt makes two requests, between
 * which another call may delete or create the schedule.
 */
const triesMax = 4;

/**
 * Creates the manager of EventBridge schedules: one for each watchlist, with the watchlist's ID as
 * its name. The manager's methods throw the errors of EventBridge Scheduler, but not the errors
 * that a schedule already exists or is already deleted.
 */
export function eventBridgeSchedules(client: SchedulerClient, options: Options): Schedules {
  return {
    async put(schedule) {
      const input = scheduleInput(options, schedule);
      for (let tries = 1; ; tries += 1) {
        try {
          await client.send(new CreateScheduleCommand(input));
          return;
        } catch (error) {
          if (!(error instanceof ConflictException)) throw error;
        }
        try {
          await client.send(new UpdateScheduleCommand(input));
          return;
        } catch (error) {
          // If the schedule was not found, another call has deleted it since `CreateSchedule`
          // failed. The next attempt creates it.
          if (!(error instanceof ResourceNotFoundException) || tries === triesMax) throw error;
        }
      }
    },
    async remove(watchlistId) {
      try {
        await client.send(
          new DeleteScheduleCommand({ Name: watchlistId, GroupName: options.group }),
        );
      } catch (error) {
        if (!(error instanceof ResourceNotFoundException)) throw error;
      }
    },
  };
}

/** Returns the parameters of the EventBridge schedule of a watchlist. */
function scheduleInput(
  { group, queueUrl, roleArn }: Options,
  { accountId, watchlistId, schedule, firstAt }: WatchlistSchedule,
): CreateScheduleCommandInput {
  return {
    Name: watchlistId,
    GroupName: group,
    ...expressionOf(schedule, firstAt),
    FlexibleTimeWindow: { Mode: "OFF" },
    Target: {
      Arn: sendMessageTarget(roleArn),
      RoleArn: roleArn,
      Input: JSON.stringify({
        QueueUrl: queueUrl,
        MessageBody: JSON.stringify({
          ...dueMessage({
            accountId,
            watchlistId,
            scheduledTime: "<aws.scheduler.scheduled-time>",
          }),
          hops: 0,
        }),
        MessageGroupId: accountId,
      }),
      RetryPolicy: { MaximumRetryAttempts: 10, MaximumEventAgeInSeconds: 600 },
    },
  };
}

/**
 * Returns the universal target of `SendMessage`, in the AWS partition of the role. The templated
 * SQS target cannot be used, because AWS documents its message group ID for FIFO queues only.
 */
function sendMessageTarget(roleArn: string): string {
  const [, partition = "aws"] = roleArn.split(":");
  return `arn:${partition}:scheduler:::aws-sdk:sqs:sendMessage`;
}

/**
 * Returns the EventBridge expression of a schedule. The periods of a rate expression begin at its
 * start date `firstAt`. A cron schedule needs no start date: its expression includes all due times,
 * and ticks at other times have no effect.
 */
const expressionOf = (
  schedule: Schedule,
  firstAt: Date,
): Pick<CreateScheduleCommandInput, "ScheduleExpression" | "StartDate"> =>
  schedule.type === "every"
    ? { ScheduleExpression: rateOf(schedule.everySeconds / 60), StartDate: firstAt }
    : {
        ScheduleExpression: tickerExpression(parseCron(schedule.cron, schedule.timezone), firstAt),
      };

const rateOf = (minutes: number): string =>
  `rate(${minutes} ${minutes === 1 ? "minute" : "minutes"})`;
