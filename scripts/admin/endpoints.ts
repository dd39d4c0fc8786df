import { dynamoEndpointStore } from "../../shared/aws/deliveries/endpoint-store.ts";
import { limits } from "../../shared/base/limits.ts";
import { systemClock, systemRandom } from "../../shared/base/system.ts";
import { changeEndpoint } from "../../shared/webhooks/change-endpoint.ts";
import { nextUpdatedAt, requestsAtOnceTo } from "../../shared/webhooks/endpoint.ts";
import { type Commands, requiredOption, type Values, wholeNumber } from "./command.ts";

export const endpointCommands: Commands = {
  "set-endpoint-requests": {
    example: "--account acct_1 --endpoint we_1 --requests 100",
    needs: ["account", "endpoint", "requests"],
    about: "Sets how many concurrent requests a webhook endpoint receives.",
    changes: (values) =>
      `Send up to ${requestsIn(values)} concurrent requests to webhook endpoint ` +
      `${requiredOption(values, "endpoint")} of ${requiredOption(values, "account")}`,
    async run(values, { dynamo, target }) {
      const ref = {
        accountId: requiredOption(values, "account"),
        endpointId: requiredOption(values, "endpoint"),
      };
      const requestsAtOnce = requestsIn(values);
      const endpoints = dynamoEndpointStore(dynamo, {
        tableName: target.tables.deliveries,
        clock: systemClock,
        random: systemRandom,
      });
      const changed = await changeEndpoint(
        ref,
        async (before) => ({
          ...before,
          requestsAtOnce,
          updatedAt: nextUpdatedAt(before, systemClock.now()),
        }),
        endpoints,
      );
      return { id: changed.id, url: changed.url, requests_at_once: requestsAtOnceTo(changed) };
    },
  },
};

const requestsIn = (values: Values): number =>
  wholeNumber(values, "requests", { least: 1, most: limits.webhookRequestsAtOnce.max });
