import { SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import type { DataFolder } from "./data-folder.ts";
import { type BusEvent, eventBusEndpoint } from "./event-bus-endpoint.ts";
import { openBusRules } from "./event-bus-rules.ts";
import { describeError } from "./lambda-host.ts";
import { type LocalServer, serveAtPreviousPort } from "./local-server.ts";
import type { Log } from "./log.ts";
import type { ResolvedTemplates } from "./template.ts";

interface EventBusServerOptions {
  readonly templates: ResolvedTemplates;
  readonly folder: DataFolder;
  readonly log: Log;
  /** The part of a queue's URL before the queue's name, without the slash. */
  readonly queueUrlBase: string;
}

/**
 * Starts a local server of EventBridge for the buses of the templates. Rules can send to every
 * local queue. Each event is logged as one line.
 */
export async function startEventBus(options: EventBusServerOptions): Promise<LocalServer> {
  const { templates, folder, log, queueUrlBase } = options;
  let client: SQSClient | undefined;
  const send = async (targetArn: string, event: BusEvent): Promise<void> => {
    client ??= new SQSClient({});
    const name = targetArn.split(":").at(-1) ?? "";
    const QueueUrl = `${queueUrlBase}/${name}`;
    // EventBridge accepts an event even if a target of a rule fails.
    await client
      .send(new SendMessageCommand({ QueueUrl, MessageBody: JSON.stringify(event) }))
      .catch((error: unknown) => log(`event bus target ${name} failed: ${describeError(error)}`));
  };
  const buses = templates.ofType("AWS::Events::EventBus").map(({ local }) => local.ref);
  const endpoint = eventBusEndpoint({
    buses,
    rules: openBusRules(folder),
    send,
    onEvent: (event) => log(`event bus: ${event["detail-type"]} ${event.resources.join(" ")}`),
  });
  const server = await serveAtPreviousPort(folder, "event-bus", endpoint);
  return {
    ...server,
    async close() {
      await server.close();
      client?.destroy();
    },
  };
}
