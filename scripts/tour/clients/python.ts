import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { root } from "../../clients/document.ts";
import { snakeCase } from "../../clients/python.ts";
import type { ApiAnswer } from "../../../tools/customer/api-client.ts";
import { packagedClient } from "./packaged.ts";
import type { ConnectTour, OperationCall, Row } from "./tour-client.ts";

const worker = fileURLToPath(new URL("worker.py", import.meta.url));

interface PythonAnswer extends Omit<ApiAnswer, "headers"> {
  readonly headers: Readonly<Record<string, string>>;
}

const withPythonNames = (call: OperationCall): OperationCall => ({
  ...call,
  operation: snakeCase(call.operation),
});

/**
 * Returns a function that creates tour clients from the Python package. Each client is a Python
 * process that reads calls and writes results as lines of JSON.
 * @param python The path of the Python interpreter.
 */
export const pythonClient =
  (python: string): ConnectTour =>
  (baseUrl, apiKey) => {
    const child = spawn(python, [worker], {
      env: {
        ...process.env,
        RPD_BASE_URL: baseUrl,
        RPD_API_KEY: apiKey,
        PYTHONPATH: `${root}clients/python`,
        PYTHONDONTWRITEBYTECODE: "1",
      },
      stdio: ["pipe", "pipe", "inherit"],
    });
    const ended = once(child, "exit");
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const ask = async (request: Readonly<Record<string, unknown>>): Promise<unknown> => {
      child.stdin.write(`${JSON.stringify(request)}\n`);
      const { value, done } = await lines.next();
      if (done === true)
        throw new Error("The Python client failed. Correct its error, which is printed above.");
      return JSON.parse(value);
    };
    return packagedClient(
      {
        async call(call) {
          const answer = (await ask({ task: "call", ...withPythonNames(call) })) as PythonAnswer;
          return { ...answer, headers: new Headers(answer.headers) };
        },
        list: async (call) => (await ask({ task: "list", ...withPythonNames(call) })) as Row[],
      },
      {
        name: "the Python client",
        readAll: async (platform, ids) => (await ask({ task: "read_all", platform, ids })) as Row[],
        accepts: async ({ body, headers }, secrets) =>
          (await ask({ task: "accepts", body, headers, secrets })) === true,
        exported: async (bucket, prefix) =>
          (await ask({ task: "exported", bucket, prefix })) as Row[],
      },
      async () => {
        child.stdin.end();
        await ended;
      },
    );
  };
