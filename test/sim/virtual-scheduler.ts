import assert from "node:assert/strict";
import { ConflictException, ResourceNotFoundException } from "@aws-sdk/client-scheduler";
import { type Occurrences, parseExpression } from "../../tools/local/schedule-expression.ts";
import type { Faults } from "./faults.ts";
import type { Random } from "./random.ts";
import type { TaskScheduler } from "./task-scheduler.ts";
import type { VirtualQueues } from "./virtual-queues.ts";

interface Schedule {
  readonly occurrences: Occurrences;
  /** The parameters of `SendMessage`. They contain a placeholder for the scheduled time. */
  readonly input: string;
  nextAt: number;
}

interface Definition {
  readonly Name: string;
  readonly ScheduleExpression: string;
  readonly StartDate?: Date;
  readonly Target: { readonly Arn: string; readonly Input: string };
}

/**
 * A rate expression still fires at its start if the start is at most this number of milliseconds in
 * the past.
 */
const precisionMs = 60_000;
const sendMessageTarget = "arn:aws:scheduler:::aws-sdk:sqs:sendMessage";
const timePlace = "<aws.scheduler.scheduled-time>";

/** Creates a simulation of EventBridge Scheduler. A tick may be duplicated, late or lost. */
export function virtualScheduler(
  { tasks, faults, random }: { tasks: TaskScheduler; faults: Faults; random: Random },
  queues: VirtualQueues,
) {
  const schedules = new Map<string, Schedule>();
  const set = ({ Name, ScheduleExpression, StartDate, Target }: Definition): void => {
    assert.equal(Target.Arn, sendMessageTarget, "the target of a schedule");
    const now = tasks.now();
    const occurrences = parseExpression({
      expression: ScheduleExpression,
      startDate: StartDate ?? new Date(now),
      endDate: null,
    });
    const from = ScheduleExpression.startsWith("cron(") ? now : now - precisionMs;
    const nextAt = occurrences.next(new Date(from))?.getTime() ?? Infinity;
    schedules.set(Name, { occurrences, input: Target.Input, nextAt });
  };
  const fire = (name: string, schedule: Schedule): void => {
    const at = new Date(schedule.nextAt);
    schedule.nextAt = schedule.occurrences.next(at)?.getTime() ?? Infinity;
    const input = schedule.input.replace(timePlace, at.toISOString().replace(/\.\d{3}Z$/, "Z"));
    const send = (DelaySeconds: number): unknown =>
      queues.service("SendMessage", { ...(JSON.parse(input) as object), DelaySeconds });
    const fault = faults.draw("tick_lost", "tick_late", "tick_twice");
    tasks.note(`tick of ${name} for ${at.toISOString()}${fault === undefined ? "" : `: ${fault}`}`);
    if (fault === "tick_lost") return;
    const late = fault === "tick_late" ? random.pick([5, 60, 120, 7_200]) : 0;
    send(late);
    if (fault === "tick_twice") send(random.pick([0, 1, 90]));
  };
  const due = (): [string, Schedule][] =>
    [...schedules].filter(([, { nextAt }]) => nextAt <= tasks.now());
  return {
    /** Handles a request of the SDK's client. */
    service(operation: string, input: Readonly<Record<string, unknown>>) {
      const definition = input as unknown as Definition;
      const known = schedules.has(definition.Name);
      const error = { Message: definition.Name, message: definition.Name, $metadata: {} };
      if (operation === "CreateSchedule" && known) throw new ConflictException(error);
      if (operation !== "CreateSchedule" && !known) throw new ResourceNotFoundException(error);
      if (operation === "DeleteSchedule") schedules.delete(definition.Name);
      else set(definition);
      return {};
    },
    isDue: () => due().length > 0,
    /** Sends the messages of all due schedules. */
    tick(): void {
      for (const [name, schedule] of due()) fire(name, schedule);
    },
    nextAt: (): number | undefined =>
      schedules.size === 0
        ? undefined
        : Math.min(...[...schedules.values()].map(({ nextAt }) => nextAt)),
    /** Returns the names of all schedules. */
    names: (): readonly string[] => [...schedules.keys()],
  };
}
