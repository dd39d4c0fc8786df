import { GetParameterCommand, SSMClient } from "@aws-sdk/client-ssm";
import { clientSettings } from "../sdk/client-settings.ts";
import type { ReadStored } from "./secret-reader.ts";

/** Creates a function that reads an SSM parameter by its name or ARN. */
export function ssmParameters(
  client: Pick<SSMClient, "send"> = new SSMClient(clientSettings()),
): ReadStored {
  return async (name) => {
    const command = new GetParameterCommand({ Name: name, WithDecryption: true });
    const { Parameter } = await client.send(command);
    return Parameter?.Value;
  };
}
