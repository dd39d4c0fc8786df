/**
 * Returns the addresses at which the deployed API may respond, one for each known emulator. The
 * stack's output is always an address of AWS, but an emulator serves the API below its own
 * endpoint, at a path that depends on the emulator.
 * @param endpoint The endpoint of the emulator.
 * @param apiUrl The output `ApiUrl` of the service stack.
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

/**
 * Returns the first address that responds with the OpenAPI document.
 * @throws Error if none does
 */
export async function answeringAddress(addresses: readonly string[]): Promise<string> {
  const answers: string[] = [];
  for (const address of addresses) {
    const answer = await fetch(`${address}/v1/openapi.json`).catch((error: unknown) => error);
    if (answer instanceof Response && answer.ok) return address;
    answers.push(`${address}: ${answer instanceof Response ? answer.status : String(answer)}`);
  }
  throw new Error(
    `The API does not respond at any of these addresses (--api-url sets another):\n${answers.join("\n")}`,
  );
}
