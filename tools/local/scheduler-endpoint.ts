import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import * as v from "valibot";
import { readJson } from "./local-server.ts";
import type { ScheduleClock } from "./schedule-clock.ts";
import { countingStart, occurrencesOf, scheduleDefinition } from "./schedule-store.ts";
import type { ScheduleDefinition, ScheduleStore, StoredSchedule } from "./schedule-store.ts";
import { scheduleArn } from "./schedule-targets.ts";
import type { ResolvedTemplates } from "./template.ts";

interface EndpointOptions {
  readonly templates: ResolvedTemplates;
  readonly store: ScheduleStore;
  readonly clock: ScheduleClock;
}

class SchedulerError extends Error {
  readonly type: string;
  readonly status: number;

  constructor(type: string, status: number, message: string) {
    super(message);
    this.type = type;
    this.status = status;
  }
}

const invalid = (message: string): SchedulerError =>
  new SchedulerError("ValidationException", 400, message);
const absent = (what: string): SchedulerError =>
  new SchedulerError("ResourceNotFoundException", 404, `${what} does not exist.`);

/**
 * Creates a listener that serves the API of EventBridge Scheduler for the local world's schedules.
 */
export function schedulerEndpoint(options: EndpointOptions): RequestListener {
  return (request, response) => {
    answer(options, request)
      .then((body) => send(response, 200, body))
      .catch((error: unknown) => {
        const known = error instanceof SchedulerError ? error : invalid(String(error));
        response.setHeader("x-amzn-errortype", known.type);
        send(response, known.status, { Message: known.message });
      });
  };
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

async function answer(options: EndpointOptions, request: IncomingMessage): Promise<unknown> {
  const url = new URL(`http://local${request.url}`);
  const [, kind, encoded] = url.pathname.split("/");
  if (kind !== "schedules") throw absent(`Path ${url.pathname}`);
  if (encoded === undefined) return list(options.store, url.searchParams);
  const name = decodeURIComponent(encoded);
  const group = url.searchParams.get("groupName") ?? "default";
  switch (String(request.method)) {
    case "POST":
      return create(options, name, await readJson(request));
    case "PUT":
      return update(options, name, await readJson(request));
    case "DELETE":
      return remove(options, group, name);
    case "GET":
      return present(existing(options.store, group, name));
    default:
      throw absent(`The method ${request.method} of schedules`);
  }
}

function create(options: EndpointOptions, name: string, body: unknown): unknown {
  if (!/^[0-9a-zA-Z\-_.]{1,64}$/.test(name))
    throw invalid(`Invalid Name ${name}. Expected 1 to 64 letters, digits, "-", "_" or ".".`);
  const definition = parse(options.templates, body);
  const clientToken = tokenOf(body);
  const before = options.store.get(definition.GroupName, name);
  if (before) {
    // A repeated request with the same client token succeeds.
    if (clientToken !== undefined && before.clientToken === clientToken) return arnOf(before);
    throw new SchedulerError(
      "ConflictException",
      409,
      `Schedule ${name} already exists. Use another name, or update the schedule.`,
    );
  }
  const now = Date.now();
  return save(options, {
    name,
    definition,
    clientToken,
    fromTemplate: false,
    createdAt: now,
    modifiedAt: now,
    handledUntil: countingStart(definition, now),
  });
}

function update(options: EndpointOptions, name: string, body: unknown): unknown {
  const definition = parse(options.templates, body);
  const before = existing(options.store, definition.GroupName, name);
  const now = Date.now();
  return save(options, {
    ...before,
    definition,
    modifiedAt: now,
    handledUntil: countingStart(definition, now),
  });
}

function remove(options: EndpointOptions, group: string, name: string): unknown {
  existing(options.store, group, name);
  options.store.remove(group, name);
  options.clock.reconsider();
  return {};
}

function save(options: EndpointOptions, schedule: StoredSchedule): unknown {
  options.store.put(schedule);
  options.clock.reconsider();
  return arnOf(schedule);
}

function existing(store: ScheduleStore, group: string, name: string): StoredSchedule {
  const schedule = store.get(group, name);
  if (!schedule) throw absent(`Schedule ${name}`);
  return schedule;
}

const startDatePastSecondsMax = 5 * 60;

function parse(templates: ResolvedTemplates, body: unknown): ScheduleDefinition {
  const parsed = v.safeParse(scheduleDefinition, body);
  if (!parsed.success) throw invalid(v.summarize(parsed.issues));
  const definition = parsed.output;
  const groups = templates.ofType("AWS::Scheduler::ScheduleGroup").map(({ local }) => local.ref);
  if (![...groups, "default"].includes(definition.GroupName)) {
    throw absent(`Schedule group ${definition.GroupName}`);
  }
  assertTimes(definition);
  if (!trustedRoles(templates).includes(definition.Target.RoleArn)) {
    throw invalid(
      "The execution role you provide must allow AWS EventBridge Scheduler to assume the role.",
    );
  }
  return definition;
}

function assertTimes(definition: ScheduleDefinition): void {
  const now = Date.now();
  const recurring = !definition.ScheduleExpression.startsWith("at(");
  const start = definition.StartDate ?? Infinity;
  if (recurring && start < now / 1000 - startDatePastSecondsMax) {
    throw invalid("The StartDate you specify cannot be earlier than 5 minutes ago.");
  }
  const occurrences = occurrencesOf(definition, now);
  if (!recurring && !occurrences.next(new Date(countingStart(definition, now)))) {
    throw invalid(
      `The schedule expression ${definition.ScheduleExpression} has no time in the future. Use a later time.`,
    );
  }
}

/** Returns the ARNs of the templates' roles that EventBridge Scheduler may assume. */
function trustedRoles(templates: ResolvedTemplates): readonly string[] {
  return templates
    .ofType("AWS::IAM::Role")
    .filter(({ properties }) =>
      JSON.stringify(properties["AssumeRolePolicyDocument"]).includes("scheduler.amazonaws.com"),
    )
    .map(({ local }) => local.attributes["Arn"] ?? "");
}

function tokenOf(body: unknown): string | undefined {
  return v.parse(v.object({ ClientToken: v.optional(v.string()) }), body).ClientToken;
}

const arnOf = (schedule: StoredSchedule): unknown => ({ ScheduleArn: scheduleArn(schedule) });

function present(schedule: StoredSchedule): unknown {
  return {
    Arn: scheduleArn(schedule),
    Name: schedule.name,
    ScheduleExpressionTimezone: "UTC",
    ...schedule.definition,
    CreationDate: schedule.createdAt / 1000,
    LastModificationDate: schedule.modifiedAt / 1000,
  };
}

const pageMax = 100;

function list(store: ScheduleStore, query: URLSearchParams): unknown {
  const group = query.get("ScheduleGroup");
  const prefix = query.get("NamePrefix") ?? "";
  const state = query.get("State");
  const all = store.all().filter(({ name, definition }) => {
    if (group !== null && definition.GroupName !== group) return false;
    return name.startsWith(prefix) && (state === null || definition.State === state);
  });
  const from = Number(query.get("NextToken") ?? 0);
  const to = from + Number(query.get("MaxResults") ?? pageMax);
  return {
    Schedules: all.slice(from, to).map((schedule) => ({
      Arn: scheduleArn(schedule),
      Name: schedule.name,
      GroupName: schedule.definition.GroupName,
      State: schedule.definition.State,
      CreationDate: schedule.createdAt / 1000,
      LastModificationDate: schedule.modifiedAt / 1000,
      Target: { Arn: schedule.definition.Target.Arn },
    })),
    ...(to < all.length ? { NextToken: `${to}` } : {}),
  };
}

/**
 * Makes the stored schedules that come from templates equal to the schedules in `templates`:
 * creates, updates and deletes stored schedules. Does not change schedules that were created
 * through the API.
 */
export function keepTemplateSchedules(templates: ResolvedTemplates, store: ScheduleStore): void {
  const now = Date.now();
  const wanted = templates.ofType("AWS::Scheduler::Schedule").map(({ local, properties }) => ({
    name: local.ref,
    definition: v.parse(scheduleDefinition, properties),
  }));
  for (const schedule of store.all().filter(({ fromTemplate }) => fromTemplate)) {
    const { GroupName } = schedule.definition;
    if (
      !wanted.some(
        ({ name, definition }) => name === schedule.name && definition.GroupName === GroupName,
      )
    ) {
      store.remove(GroupName, schedule.name);
    }
  }
  for (const { name, definition } of wanted) {
    const before = store.get(definition.GroupName, name);
    if (before && JSON.stringify(before.definition) === JSON.stringify(definition)) continue;
    store.put({
      name,
      definition,
      fromTemplate: true,
      createdAt: before?.createdAt ?? now,
      modifiedAt: now,
      handledUntil: countingStart(definition, now),
    });
  }
}
