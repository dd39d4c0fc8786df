/**
 * Where the deployed API may be called. Its own address leads to AWS; emulators serve it below their
 * endpoint, at one path or another.
 */
export function apiAddresses(endpoint: string, apiUrl: string): string[] {
  const { hostname, pathname } = new URL(apiUrl);
  const [apiId = ""] = hostname.split(".");
  const stage = pathname.replaceAll("/", "");
  const base = endpoint.replace(/\/+$/, "");
  return [
    `${base}/restapis/${apiId}/${stage}/_user_request_`,
    `${base}/_aws/execute-api/${apiId}/${stage}`,
  ];
}

/** The first of them that answers with the service's own description. */
export async function answeringAddress(addresses: readonly string[]): Promise<string> {
  const answers: string[] = [];
  for (const address of addresses) {
    const answer = await fetch(`${address}/v1/openapi.json`).catch((error: unknown) => error);
    if (answer instanceof Response && answer.ok) return address;
    answers.push(`${address}: ${answer instanceof Response ? answer.status : String(answer)}`);
  }
  throw new Error(
    `The API answers at none of these (--api-url names another):\n${answers.join("\n")}`,
  );
}
