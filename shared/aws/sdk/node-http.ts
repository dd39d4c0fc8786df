import { createRequire } from "node:module";
import type * as NodeHttp from "node:http";

/**
 * Replaces `node:http` in the bundles. The middleware engine needs only the status texts of
 * `node:http`. An `import` of `node:http` runs every exported getter, and one of them loads an HTTP
 * client. At each cold start, the `import` would take ten times as long as `require`.
 */
const required: unknown = createRequire(import.meta.url)("node:http");
const http = required as typeof NodeHttp;

export const { Agent, request, STATUS_CODES } = http;
