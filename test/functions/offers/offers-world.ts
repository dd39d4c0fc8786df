import { startTestWorld } from "../../support/local-world.ts";
import { createAccount, createApiKey } from "../../../shared/accounts/create-account.ts";
import { dynamoAccountStore } from "../../../shared/aws/accounts/account-store.ts";
import { documentClient } from "../../../shared/aws/table/dynamo.ts";
import { systemRandom, systemClock } from "../../../shared/base/system.ts";
import type { Offer } from "../../../shared/scrapers/offer.ts";
import { expectDocumented } from "../../support/openapi.ts";

/** The fields of a result or an error that these tests read. */
export interface Body {
  readonly results: readonly {
    readonly id: string;
    readonly asin: string;
    readonly status: string;
    readonly totalOffers: number;
    readonly buyboxOfferListingId?: string;
    readonly offers: readonly Offer[];
    readonly buyable?: boolean;
  }[];
  readonly stats: Readonly<Record<string, number>>;
  readonly credits: number;
  readonly error: { readonly code: string; readonly param?: string };
  readonly coming_soon?: boolean;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
}

export interface Customer {
  readonly accountId: string;
  /** Makes a call and checks that the OpenAPI document describes its response. */
  call(route: string, body?: unknown): Promise<Answer>;
  balance(): Promise<number | undefined>;
}

export interface OffersWorld {
  /** Creates an account with the given credits. */
  customer(credits: number, options?: { readonly demo: boolean }): Promise<Customer>;
  stop(): Promise<void>;
}

/** Starts the whole service over HTTP, with the sandbox as its source. */
export async function startOffersWorld(): Promise<OffersWorld> {
  const world = await startTestWorld();
  const variables = world.environmentOf("offers");
  const accounts = dynamoAccountStore(documentClient(), {
    accounts: variables["ACCOUNTS_TABLE"] ?? "",
  });
  const dependencies = { accounts, clock: systemClock, random: systemRandom };
  return {
    async customer(signupCredits, { demo } = { demo: false }) {
      const account = await createAccount(
        { name: "Offers", email: "o@example.com", signupCredits, demo },
        dependencies,
      );
      const { key } = await createApiKey({ account, name: "offers" }, dependencies);
      return {
        accountId: account.id,
        balance: async () => (await accounts.get(account.id))?.balance,
        async call(route, body) {
          const [method = "", path = ""] = route.split(" ");
          const response = await fetch(`${world.baseUrl}${path}`, {
            method,
            headers: { "X-API-Key": key, "Content-Type": "application/json" },
            ...(body === undefined ? {} : { body: JSON.stringify(body) }),
          });
          const answer = (await response.json()) as Body;
          expectDocumented(route, response.status, answer);
          return { status: response.status, headers: response.headers, body: answer };
        },
      };
    },
    stop: world.stop,
  };
}
