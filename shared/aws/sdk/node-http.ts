import { createRequire } from "node:module";
import type * as NodeHttp from "node:http";

/**
 * Stands in for `node:http` in the bundles. Imported as a module, it runs every getter it exports,
 * and one of them loads a whole HTTP client: ten times the time that requiring it takes, at every
 * cold start, for what the middleware engine only takes a table of status texts from.
 */
const required: unknown = createRequire(import.meta.url)("node:http");
const http = required as typeof NodeHttp;

export const { Agent, request, STATUS_CODES } = http;
