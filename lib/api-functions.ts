import { Duration } from "aws-cdk-lib";
import { Construct } from "constructs";
import type { EnvironmentOf } from "../functions/environment.ts";
import { groups } from "../functions/routes.ts";
import type { Group, GroupName } from "../functions/routes.ts";
import { limits } from "../shared/base/limits.ts";
import type { Config, Stage } from "./config.ts";
import type { RunSchedules } from "./constructs/run-schedules.ts";
import { ServiceFunction } from "./constructs/service-function.ts";
import type { DataReferences } from "./data-references.ts";
import {
  grantAssumeCustomerRoles,
  grantDecrypt,
  grantEncrypt,
  grantKeyCount,
  grantSourceHealthRead,
  grantObjectRead,
  grantScheduleManage,
  grantSend,
  grantTable,
} from "./grants.ts";
import { grantSourceSecrets, sourcesVariable } from "./source-config.ts";
import type { Workers } from "./workers.ts";

export interface ApiFunctionsProps {
  readonly stage: Stage;
  readonly config: Config;
  readonly data: DataReferences;
  readonly workers: Workers;
  readonly schedules: RunSchedules;
  /** Base URL of the API, with a slash at its end. */
  readonly apiUrl: string;
  /** Custom domain of the API. @default - the execute-api URL only */
  readonly domainName?: string;
  /** The public API key of the demo workspace. @default - the dashboard offers no demo workspace */
  readonly demoApiKey?: string;
}

/** The timeout of the gateway for buffered responses. */
const bufferedTimeout = Duration.seconds(limits.gatewaySeconds.buffered);
/**
 * The timeout of a function with streamed responses. It is long enough to settle the call and to
 * respond after the longest reading time (`shared/base/call-time.ts`).
 */
const streamingTimeout = Duration.seconds(limits.gatewaySeconds.streamed);

/**
 * The API functions: one for each group of `functions/routes.ts`, with its variables and
 * permissions.
 */
export class ApiFunctions extends Construct {
  readonly byGroup: Readonly<Record<GroupName, ServiceFunction<GroupName>>>;
  readonly #props: ApiFunctionsProps;

  constructor(scope: Construct, id: string, props: ApiFunctionsProps) {
    super(scope, id);
    this.#props = props;
    this.byGroup = {
      products: this.itemCalls("products", "Product reads, and the offers of one item."),
      offers: this.itemCalls("offers", "Offers and offer checks."),
      watchlists: this.watchlists(),
      "webhook-endpoints": this.webhookEndpoints(),
      events: this.events(),
      "s3-destination": this.s3Destination(),
      account: this.account(),
      mcp: this.mcp(),
      platforms: this.platforms(),
      structured: this.group("structured", "Structured-data endpoints (announced).", this.edge()),
      dashboard: this.group("dashboard", "The account dashboard's files.", {
        STAGE: props.stage,
        RESPONSE_MODE: props.config.responseMode,
        DEMO_API_KEY: props.demoApiKey ?? "none",
      }),
      meta: this.group("meta", "Documentation, retired and unknown paths.", this.edge()),
    };
    for (const serviceFunction of Object.values(this.byGroup)) {
      const { keys } = groups[serviceFunction.name];
      // Functions authenticate calls and count them against the rate limit in the accounts table.
      if (keys === "required") grantTable(serviceFunction, props.data.accounts, "read-write");
      if (keys === "counted") grantKeyCount(serviceFunction, props.data.accounts);
    }
  }

  private itemCalls<Name extends "products" | "offers">(
    name: Name,
    description: string,
  ): ServiceFunction<Name> {
    const { data, config, workers } = this.#props;
    const variables: EnvironmentOf<"products" | "offers"> = {
      ...this.edge(),
      LEDGER_TABLE: data.ledger.tableName,
      RUNS_QUEUE_URL: workers.runs.queue.queueUrl,
      SOURCES: sourcesVariable(this, config.sources),
      API_URL: this.#props.apiUrl,
      RESPONSE_MODE: config.responseMode,
    };
    const itemCalls = this.group(name, description, variables);
    grantTable(itemCalls, data.ledger, "append");
    // An item call that cannot cancel its hold wakes the run starter, which cancels the hold.
    grantSend(itemCalls, workers.runs.queue);
    grantSourceSecrets(itemCalls, config.sources);
    return itemCalls;
  }

  private watchlists(): ServiceFunction<"watchlists"> {
    const watchlists = this.group(
      "watchlists",
      "Watchlists, their items and runs.",
      this.watchlistVariables(),
    );
    this.grantWatchlists(watchlists);
    return watchlists;
  }

  /**
   * Creates the function of the MCP server. Its tools call routes for items and for watchlists, so
   * the function needs the permissions of the functions that handle these routes.
   */
  private mcp(): ServiceFunction<"mcp"> {
    const mcp = this.group("mcp", "Tools for agents, over the Model Context Protocol.", {
      ...this.watchlistVariables(),
      DOMAIN_NAME: this.#props.domainName ?? "none",
      RESPONSE_MODE: this.#props.config.responseMode,
    });
    this.grantWatchlists(mcp);
    return mcp;
  }

  private watchlistVariables(): EnvironmentOf<"watchlists"> {
    const { data, config, workers, schedules } = this.#props;
    return {
      ...this.edge(),
      LEDGER_TABLE: data.ledger.tableName,
      WATCHLISTS_TABLE: data.watchlists.tableName,
      DELIVERIES_TABLE: data.deliveries.tableName,
      RUNS_QUEUE_URL: workers.runs.queue.queueUrl,
      BACKTESTS_QUEUE_URL: workers.backtests.queue.queueUrl,
      SCHEDULE_GROUP: schedules.group.scheduleGroupName,
      SCHEDULE_ROLE_ARN: schedules.role.roleArn,
      SOURCES: sourcesVariable(this, config.sources),
      API_URL: this.#props.apiUrl,
    };
  }

  private grantWatchlists(grantee: ServiceFunction<"watchlists" | "mcp">): void {
    const { data, config, workers, schedules } = this.#props;
    // A preview reads items and charges for them, like an item call.
    grantTable(grantee, data.ledger, "append");
    grantSourceSecrets(grantee, config.sources);
    grantTable(grantee, data.watchlists, "read-write");
    grantTable(grantee, data.deliveries, "read");
    grantSend(grantee, workers.runs.queue);
    grantSend(grantee, workers.backtests.queue);
    grantScheduleManage(grantee, schedules.scheduleArns, schedules.role);
  }

  private webhookEndpoints(): ServiceFunction<"webhook-endpoints"> {
    const { data, workers } = this.#props;
    const webhookEndpoints = this.group("webhook-endpoints", "Webhook endpoints and deliveries.", {
      ...this.edge(),
      DELIVERIES_TABLE: data.deliveries.tableName,
      EVENTS_BUCKET: data.events.bucketName,
      DELIVERIES_QUEUE_URL: workers.deliveries.queue.queueUrl,
      SECRETS_KEY_ID: data.secretsKey.keyId,
      // Lets the function refuse the API's own domain as a receiver, because the service must not
      // send deliveries to itself.
      DOMAIN_NAME: this.#props.domainName ?? "none",
    });
    // The function reads bodies of deliveries, and events of runs whose deliveries are pending.
    grantObjectRead(webhookEndpoints, data.events);
    grantTable(webhookEndpoints, data.deliveries, "read-write");
    grantSend(webhookEndpoints, workers.deliveries.queue);
    grantEncrypt(webhookEndpoints, data.secretsKey);
    // The function signs test deliveries.
    grantDecrypt(webhookEndpoints, data.secretsKey);
    return webhookEndpoints;
  }

  private events(): ServiceFunction<"events"> {
    const { data, workers } = this.#props;
    const events = this.group("events", "The feed of an account's events.", {
      ...this.edge(),
      DELIVERIES_TABLE: data.deliveries.tableName,
      EVENTS_BUCKET: data.events.bucketName,
      DELIVERIES_QUEUE_URL: workers.deliveries.queue.queueUrl,
    });
    // To send an event, the function adds a delivery to the log and to the endpoint's outbox.
    grantTable(events, data.deliveries, "read-write");
    grantSend(events, workers.deliveries.queue);
    grantObjectRead(events, data.events);
    return events;
  }

  private s3Destination(): ServiceFunction<"s3-destination"> {
    const { data, workers } = this.#props;
    const s3Destination = this.group("s3-destination", "The S3 export's destination and log.", {
      ...this.edge(),
      DELIVERIES_TABLE: data.deliveries.tableName,
      DELIVERIES_QUEUE_URL: workers.deliveries.queue.queueUrl,
      SECRETS_KEY_ID: data.secretsKey.keyId,
      DOMAIN_NAME: this.#props.domainName ?? "none",
    });
    grantTable(s3Destination, data.deliveries, "read-write");
    grantSend(s3Destination, workers.deliveries.queue);
    grantEncrypt(s3Destination, data.secretsKey);
    // The function checks a changed destination with the stored secret.
    grantDecrypt(s3Destination, data.secretsKey);
    grantAssumeCustomerRoles(s3Destination);
    return s3Destination;
  }

  private account(): ServiceFunction<"account"> {
    const { data } = this.#props;
    const account = this.group("account", "The caller's account: usage, credits and keys.", {
      ...this.edge(),
      LEDGER_TABLE: data.ledger.tableName,
      WATCHLISTS_TABLE: data.watchlists.tableName,
      DELIVERIES_TABLE: data.deliveries.tableName,
    });
    grantTable(account, data.ledger, "read");
    grantTable(account, data.watchlists, "read");
    grantTable(account, data.deliveries, "read");
    return account;
  }

  private platforms(): ServiceFunction<"platforms"> {
    const platforms = this.group("platforms", "Platforms, marketplaces and prices.", this.edge());
    grantSourceHealthRead(platforms, this.#props.data.accounts);
    return platforms;
  }

  private edge(): EnvironmentOf<"structured"> {
    return {
      STAGE: this.#props.stage,
      ACCOUNTS_TABLE: this.#props.data.accounts.tableName,
    };
  }

  private group<Name extends GroupName>(
    name: Name,
    description: string,
    variables: EnvironmentOf<Name>,
  ): ServiceFunction<Name> {
    const { config } = this.#props;
    const shares: Readonly<Partial<Record<GroupName, number>>> = config.reservedConcurrency ?? {};
    const reservedConcurrency = shares[name];
    const { streaming, readsGeneratedFiles }: Group = groups[name];
    return new ServiceFunction(this, name, {
      name,
      description: `API: ${description}`,
      timeout: streaming && config.responseMode === "stream" ? streamingTimeout : bufferedTimeout,
      memoryMegabytes: config.memoryMegabytes.api,
      config,
      variables,
      ...(reservedConcurrency !== undefined && { reservedConcurrency }),
      readsGeneratedFiles: readsGeneratedFiles === true,
    });
  }
}
