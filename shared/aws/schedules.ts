import {
  ConflictException,
  CreateScheduleCommand,
  type CreateScheduleCommandInput,
  DeleteScheduleCommand,
  ResourceNotFoundException,
  type SchedulerClient,
  UpdateScheduleCommand,
} from "@aws-sdk/client-scheduler";
import type { ListSchedule, Schedules } from "../watchlists/schedules.ts";

interface Options {
  readonly group: string;
  /** Needed only to put schedules: where they fire, and the role that may send there. */
  readonly target?: { readonly queueArn: string; readonly roleArn: string };
}

/** One EventBridge schedule per list; the list's id is the schedule's name. */
export function eventBridgeSchedules(client: SchedulerClient, options: Options): Schedules {
  return {
    async put(schedule) {
      const input = scheduleInput(options, schedule);
      try {
        await client.send(new CreateScheduleCommand(input));
      } catch (error) {
        if (!(error instanceof ConflictException)) throw error;
        await client.send(new UpdateScheduleCommand(input));
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

function scheduleInput(
  { group, target }: Options,
  { accountId, watchlistId, schedule, firstAt }: ListSchedule,
): CreateScheduleCommandInput {
  if (target === undefined) throw new Error("This function does not put schedules");
  return {
    Name: watchlistId,
    GroupName: group,
    ScheduleExpression: rateOf(schedule.everySeconds / 60),
    // With a rate, the start date is the first occurrence.
    StartDate: firstAt,
    FlexibleTimeWindow: { Mode: "OFF" },
    Target: {
      Arn: target.queueArn,
      RoleArn: target.roleArn,
      Input: JSON.stringify({
        type: "due",
        account_id: accountId,
        watchlist_id: watchlistId,
        scheduled_time: "<aws.scheduler.scheduled-time>",
      }),
      RetryPolicy: { MaximumRetryAttempts: 10, MaximumEventAgeInSeconds: 600 },
    },
  };
}

const rateOf = (minutes: number): string =>
  `rate(${minutes} ${minutes === 1 ? "minute" : "minutes"})`;
