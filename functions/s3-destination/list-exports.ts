import type { UndefinedSchema } from "valibot";
import { exportsQuery } from "../../shared/exports/export-schema.ts";
import { listExports } from "../../shared/exports/list-exports.ts";
import { route } from "../http/route.ts";
import type { DestinationDependencies } from "./dependencies.ts";

/**
 * `GET /v1/s3_destination/exports`. Lists the exports of the account, newest first. They stay in
 * the list after the destination is deleted.
 */
export const listExportsRoute = route<
  DestinationDependencies,
  UndefinedSchema<undefined>,
  typeof exportsQuery
>({
  query: exportsQuery,
  async handle({ caller, query }, dependencies) {
    return { status: 200, body: await listExports(caller.accountId, query, dependencies) };
  },
});
