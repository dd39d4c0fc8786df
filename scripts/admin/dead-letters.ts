import {
  type Admin,
  type Commands,
  listOf,
  requiredOption,
  type Values,
  wholeNumber,
} from "./command.ts";
import { quantity } from "../../shared/base/quantity.ts";
import { peek, peekDefault } from "./peek.ts";
import { countsOf } from "./queue-counts.ts";
import { replayDeadLetters } from "./replay.ts";
import { type QueueName, queueNames, type QueueUrls } from "./target.ts";

/** The exit code if a replay did not move all messages. */
const incompleteExit = 1;

export const deadLetterCommands: Commands = {
  "dead-letters": {
    example: "--stage prod --region us-east-1",
    about: "Counts the messages of each queue and of its dead-letter queue.",
    async run(_values, { sqs, target }) {
      const urls = await target.queues();
      const rows = queueNames.map(async (name) => {
        const dead = await countsOf(sqs, urls[name].deadLetters);
        return {
          queue: name,
          ...(await countsOf(sqs, urls[name].queue)),
          // Includes the messages in flight, because a replay must also move these.
          dead_letters: dead.waiting + dead.in_flight,
          dead_letters_in_flight: dead.in_flight,
        };
      });
      return listOf(await Promise.all(rows));
    },
  },
  "dead-letters show": {
    example: "--queue runs --limit 5",
    needs: ["queue"],
    takes: ["limit"],
    about: "Shows messages of a dead-letter queue without removing them.",
    async run(values, admin) {
      const { deadLetters } = await queueOf(values, admin);
      const limit = wholeNumber(values, "limit", { least: 1, otherwise: peekDefault });
      const { in_flight: held } = await countsOf(admin.sqs, deadLetters);
      if (held > 0) admin.warn(inFlightNotice(held));
      // Reads one message more than the limit, to know whether there are more.
      const foundMessages = await peek(admin.sqs, deadLetters, limit + 1);
      return listOf(foundMessages.slice(0, limit), foundMessages.length > limit);
    },
  },
  "dead-letters replay": {
    example: "--queue runs",
    needs: ["queue"],
    about: "Moves the messages of a dead-letter queue back to their queue.",
    changes: (values) =>
      `Move the dead letters of the ${requiredOption(values, "queue")} queue back`,
    async run(values, admin) {
      const urls = await queueOf(values, admin);
      const replayed = await replayDeadLetters(admin.sqs, urls);
      if (replayed.state === "incomplete") {
        admin.warn(inFlightNotice(replayed.in_flight));
        admin.endWith(incompleteExit);
      }
      return { queue: values.queue, ...replayed };
    },
  },
};

const inFlightNotice = (letters: number): string =>
  `Another process has received ${quantity(letters, "message")} and not deleted them yet. Try again in a minute.`;

async function queueOf(values: Values, { target }: Admin): Promise<QueueUrls> {
  const wanted = requiredOption(values, "queue");
  const name = queueNames.find((one): one is QueueName => one === wanted);
  if (name === undefined)
    throw new Error(`--queue must be one of ${queueNames.join(", ")} (got "${wanted}").`);
  return (await target.queues())[name];
}
